#define TW_LANES lanes_v4
#include "emulator/isa/lanes/Lanes.inc"
