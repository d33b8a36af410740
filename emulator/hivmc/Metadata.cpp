#include "emulator/hivmc/Metadata.h"

#include "emulator/hivmc/Version.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::hivmc {

std::string metadataJson(const ModuleSignature &signature, ArrayRef<std::string> instructions,
                         StringRef sourceHash, StringRef library) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream os(stream);
  os.object([&] {
    os.attribute("format", 1);
    os.attribute("target", json::fixUTF8(signature.target));
    os.attributeArray("kernels", [&] {
      for (const Kernel &kernel : signature.kernels)
        os.object([&] {
          os.attribute("name", json::fixUTF8(kernel.name));
          os.attributeArray("args", [&] {
            for (const Argument &argument : kernel.arguments)
              os.object([&] {
                os.attribute("kind", argument.kind);
                os.attribute("role", json::fixUTF8(argument.role));
                os.attribute("type", json::fixUTF8(argument.type));
                os.attribute("offset", int64_t(argument.offset));
                os.attribute("size", int64_t(argument.size));
                if (argument.elements)
                  os.attribute("elements", int64_t(argument.elements));
              });
          });
          os.attribute("args_size", int64_t(kernel.argumentBytes));
          if (kernel.blockDim)
            os.attribute("block_dim", int64_t(kernel.blockDim));
        });
    });
    os.attributeArray("host_functions", [&] {
      for (const std::string &name : signature.hostFunctions)
        os.value(json::fixUTF8(name));
    });
    os.attributeArray("instructions", [&] {
      for (const std::string &name : instructions)
        os.value(name);
    });
    if (signature.vectorCores)
      os.attribute("vector_cores", int64_t(signature.vectorCores));
    os.attribute("ub_bytes", int64_t(signature.ubBytes));
    os.attribute("tool", kToolName);
    os.attribute("library_hash", library);
    os.attribute("source_hash", sourceHash);
  });
  return text;
}

void addMetadata(Module &module, StringRef json) {
  Constant *text = ConstantDataArray::getString(module.getContext(), json, /*AddNull=*/true);
  auto *variable = new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, text, "tw_kernel_metadata");
  variable->setSection(".tilewright");
  variable->setAlignment(Align(1));
}

} // namespace tilewright::hivmc
