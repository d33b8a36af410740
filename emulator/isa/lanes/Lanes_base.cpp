#define TW_LANES lanes_base
#include "emulator/isa/lanes/Lanes.inc"
