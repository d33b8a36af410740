#define TW_LANES lanes_v3
#include "emulator/isa/lanes/Lanes.inc"
