// What this program calls itself.
#ifndef TILEWRIGHT_HIVMC_VERSION_H
#define TILEWRIGHT_HIVMC_VERSION_H

namespace tilewright::hivmc {

/// The only form that bishengir-compile 1.2.0 understands is `hivmc X.Y.Z (HEX DATE)`; 1.2.0 is the version
/// of the contract that we implement, the zeros say that it is not a build of the vendor's source.
inline constexpr const char *kVersionLine = "hivmc 1.2.0 (000000000000 2026-07-29)";
/// Own revision. Part of every cache key: change it whenever generated code changes.
inline constexpr const char *kToolName = "hivmc 1.2.0 tilewright 10";

} // namespace tilewright::hivmc

#endif
