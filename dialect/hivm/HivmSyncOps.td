// Order between the pipes of a core (flags, barriers) and between cores.

#ifndef TILEWRIGHT_DIALECT_HIVM_SYNC_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_SYNC_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/hivm/HivmAttrs.td"

// No MemoryEffects on purpose: an operation of unknown effect is never moved or dropped.
class Hivm_FlagOp<string mnemonic> : Hivm_Op<mnemonic> {
  let arguments = (ins Hivm_PipeAttr:$set_pipe, Hivm_PipeAttr:$wait_pipe,
                   OptionalAttr<Hivm_EventAttr>:$static_event_id, Optional<I64>:$dynamic_event_id);
  let assemblyFormat = [{
    `[` $set_pipe `,` $wait_pipe `,` custom<EventID>($static_event_id, $dynamic_event_id) `]` attr-dict
  }];
  let builders = [OpBuilder<(ins "Pipe":$setPipe, "Pipe":$waitPipe, "Event":$event)>,
                  OpBuilder<(ins "Pipe":$setPipe, "Pipe":$waitPipe, "::mlir::Value":$event)>];
  let hasVerifier = 1;
}

def Hivm_SetFlagOp : Hivm_FlagOp<"set_flag"> {
  let summary = "Queue a set of the flag on `set_pipe`, to be consumed by `wait_pipe`";
}
def Hivm_WaitFlagOp : Hivm_FlagOp<"wait_flag"> {
  let summary = "Hold `wait_pipe` until `set_pipe` has set the flag, and consume it";
}

def Hivm_PipeBarrierOp : Hivm_Op<"pipe_barrier"> {
  let summary = "Wait until the pipe (or every pipe) has finished its earlier operations";
  let arguments = (ins Hivm_PipeAttr:$pipe);
  let assemblyFormat = "`[` $pipe `]` attr-dict";
}

def Hivm_SyncBlockOp : Hivm_Op<"sync_block"> {
  let summary = "Barrier over many cores";
  let arguments = (ins Hivm_SyncBlockModeAttr:$sync_block_mode, OptionalAttr<Hivm_IntegerAttr>:$flag_id,
                   Optional<I64>:$ffts_base_addr, OptionalAttr<Hivm_PipeAttr>:$tcube_pipe,
                   OptionalAttr<Hivm_PipeAttr>:$tvector_pipe);
  let assemblyFormat = [{
    attr-dict `[` $sync_block_mode (`,` $flag_id^)? `]` (`ffts_base_addr` `=` $ffts_base_addr^)?
    (`tcube_pipe` `=` $tcube_pipe^)? (`tvector_pipe` `=` $tvector_pipe^)?
  }];
  let hasVerifier = 1;
}

def Hivm_SyncBlockSetOp : Hivm_Op<"sync_block_set", [AttrSizedOperandSegments]> {
  let summary = "Set a cross-core flag when `tpipe` has finished its earlier operations";
  let arguments = (ins Hivm_CoreTypeAttr:$tcore_type, Hivm_PipeAttr:$tpipe, Hivm_PipeAttr:$pipe,
                   OptionalAttr<Hivm_IntegerAttr>:$static_flag_id, Optional<I64>:$dynamic_flag_id,
                   Optional<I64>:$ffts_base_addr, OptionalAttr<Hivm_SyncBlockInstrModeAttr>:$tsync_instr_mode);
  let assemblyFormat = [{
    attr-dict `[` $tcore_type `,` $tpipe `,` $pipe `]`
    `flag` `=` custom<FlagID>($static_flag_id, $dynamic_flag_id) (`ffts_base_addr` `=` $ffts_base_addr^)?
    (`sync_instr_mode` `=` $tsync_instr_mode^)?
  }];
  let hasVerifier = 1;
}

def Hivm_SyncBlockWaitOp : Hivm_Op<"sync_block_wait"> {
  let summary = "Wait for a cross-core flag and consume it";
  let arguments = (ins Hivm_CoreTypeAttr:$tcore_type, Hivm_PipeAttr:$tpipe, Hivm_PipeAttr:$pipe,
                   OptionalAttr<Hivm_IntegerAttr>:$static_flag_id, Optional<I64>:$dynamic_flag_id);
  let assemblyFormat = [{
    attr-dict `[` $tcore_type `,` $tpipe `,` $pipe `]`
    `flag` `=` custom<FlagID>($static_flag_id, $dynamic_flag_id)
  }];
  let hasVerifier = 1;
}

//===-- Ordered lock in GM --------------------------------------------------------------------------===//

def Hivm_LockVar : MemRefRankOf<[I64], [1]>;

def Hivm_CreateSyncBlockLockOp : Hivm_Op<"create_sync_block_lock"> {
  let summary = "Lock variable, taken from the kernel's lock argument if given";
  let arguments = (ins Optional<AnyMemRef>:$lockArg);
  let results = (outs Res<AnyMemRef, "lock variable", [MemAlloc]>:$memref);
  let assemblyFormat = "(`from` $lockArg^)? attr-dict `:` (`from` type($lockArg)^ `to`)? type($memref)";
}

class Hivm_LockOp<string mnemonic> : Hivm_Op<mnemonic> {
  let arguments = (ins Hivm_LockVar:$lock_var);
  let assemblyFormat = "attr-dict `lock_var` `(` $lock_var `:` type($lock_var) `)`";
}

def Hivm_SyncBlockLockOp : Hivm_LockOp<"sync_block_lock"> {
  let summary = "Wait until the lock's ticket equals this block's index";
}
def Hivm_SyncBlockUnlockOp : Hivm_LockOp<"sync_block_unlock"> {
  let summary = "Hand the lock to the next block";
}
def Hivm_FreeLockVarOp : Hivm_LockOp<"free_lock_var"> { let summary = "End the life of a lock variable"; }

#endif // TILEWRIGHT_DIALECT_HIVM_SYNC_OPS_TD
