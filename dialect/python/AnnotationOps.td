// Entry point of the Python op classes: mlir-tblgen -gen-python-op-bindings -bind-dialect=annotation
#ifndef TILEWRIGHT_DIALECT_PYTHON_ANNOTATION_OPS_TD
#define TILEWRIGHT_DIALECT_PYTHON_ANNOTATION_OPS_TD
include "dialect/annotation/Annotation.td"
#endif
