// Operator definition of EluGradV2 for a CANN operator project: compiled only with the real tool chain
// (docs/ascendc.md). Shape and type inference, attribute checks, and the tiling function around
// TileEluGradV2.
#include "elu_grad_v2_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static ge::graphStatus EluGradV2TilingFunc(gert::TilingContext *context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  kernels_ref::PlatformInfo info{platform.GetCoreNumAiv(), 0};
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info.ubSize);
  const gert::RuntimeAttrs *attrs = context->GetAttrs();
  const int64_t total = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
  kernels_ref::EluGradV2Request request{static_cast<uint64_t>(total),
                                        static_cast<int32_t>(context->GetInputDesc(1)->GetDataType()),
                                        static_cast<int32_t>(context->GetOutputDesc(0)->GetDataType()),
                                        *attrs->GetFloat(0),
                                        *attrs->GetFloat(1),
                                        *attrs->GetFloat(2),
                                        *attrs->GetBool(3)};
  if (total < 1 || (request.isResult && request.alpha < 0))
    return ge::GRAPH_FAILED;
  EluGradV2TilingData data;
  const kernels_ref::TilingOutcome outcome = kernels_ref::TileEluGradV2(request, info, data);
  auto *raw = context->GetRawTilingData();
  if (raw->GetCapacity() < sizeof(data))
    return ge::GRAPH_FAILED;
  std::copy_n(reinterpret_cast<const uint8_t *>(&data), sizeof(data), static_cast<uint8_t *>(raw->GetData()));
  raw->SetDataSize(sizeof(data));
  context->SetBlockDim(outcome.blockDim);
  context->SetTilingKey(outcome.tilingKey);
  context->GetWorkspaceSizes(1)[0] = outcome.workspaceSize;
  return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ops {

static ge::graphStatus EluGradV2InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
/// The output type is that of dy, unless the caller has asked for float.
static ge::graphStatus EluGradV2InferDataType(gert::InferDataTypeContext *context) {
  if (context->GetOutputDataType(0) != ge::DT_FLOAT)
    context->SetOutputDataType(0, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}

class EluGradV2 : public OpDef {
public:
  explicit EluGradV2(const char *name) : OpDef(name) {
    this->Input("dy")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0);
    this->Attr("input_scale").AttrType(OPTIONAL).Float(1.0);
    this->Attr("is_result").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(EluGradV2InferShape).SetInferDataType(EluGradV2InferDataType);
    this->AICore().SetTiling(optiling::EluGradV2TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(EluGradV2);

} // namespace ops
