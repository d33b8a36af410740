// CMake needs one source file to hang the shared precompiled header on.
