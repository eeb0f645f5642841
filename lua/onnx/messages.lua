-- lua/onnx/messages.lua - the messages of an ONNX file: numbers, names and kinds of their fields.
--
-- messages.NAME = { [number] = { name, kind [, 'repeated' | 'packed'] } }: descriptions for the
-- reader, lua/torch/protobuf.lua, and the writer.
-- A writer packs the values of a 'packed' field and writes those of a 'repeated' one each with a key. A reader takes both forms.
-- A message inside another one has the name 'Outer.Inner'.
local messages = {}

messages.ModelProto = {
   [1] = { 'ir_version', 'int64' },
   [2] = { 'producer_name', 'string' },
   [3] = { 'producer_version', 'string' },
   [4] = { 'domain', 'string' },
   [5] = { 'model_version', 'int64' },
   [6] = { 'doc_string', 'string' },
   [7] = { 'graph', 'GraphProto' },
   [8] = { 'opset_import', 'OperatorSetIdProto', 'repeated' },
   [14] = { 'metadata_props', 'ModelEntryProto', 'repeated' },
   [20] = { 'training_info', 'TrainingInfoProto', 'repeated' },
   [25] = { 'functions', 'FunctionProto', 'repeated' },
   [26] = { 'configuration', 'DeviceConfigurationProto', 'repeated' },
}

messages.OperatorSetIdProto = {
   [1] = { 'domain', 'string' },
   [2] = { 'version', 'int64' },
}

messages.StringStringEntryProto = {
   [1] = { 'key', 'string' },
   [2] = { 'value', 'string' },
}

-- An entry of a model, whose value may be long: it is read when it is needed.
messages.ModelEntryProto = {
   [1] = { 'key', 'string' },
   [2] = { 'value', 'bytes' },
}

messages.FunctionProto = {
   [1] = { 'name', 'string' },
   [4] = { 'input', 'string', 'repeated' },
   [5] = { 'output', 'string', 'repeated' },
   [6] = { 'attribute', 'string', 'repeated' },
   [7] = { 'node', 'NodeProto', 'repeated' },
   [8] = { 'doc_string', 'string' },
   [9] = { 'opset_import', 'OperatorSetIdProto', 'repeated' },
   [10] = { 'domain', 'string' },
   [11] = { 'attribute_proto', 'AttributeProto', 'repeated' },
   [12] = { 'value_info', 'ValueInfoProto', 'repeated' },
   [13] = { 'overload', 'string' },
   [14] = { 'metadata_props', 'StringStringEntryProto', 'repeated' },
}

messages.TrainingInfoProto = {
   [1] = { 'initialization', 'GraphProto' },
   [2] = { 'algorithm', 'GraphProto' },
   [3] = { 'initialization_binding', 'StringStringEntryProto', 'repeated' },
   [4] = { 'update_binding', 'StringStringEntryProto', 'repeated' },
}

messages.DeviceConfigurationProto = {
   [1] = { 'name', 'string' },
   [2] = { 'num_devices', 'int32' },
   [3] = { 'device', 'string', 'repeated' },
}

messages.GraphProto = {
   [1] = { 'node', 'NodeProto', 'repeated' },
   [2] = { 'name', 'string' },
   [5] = { 'initializer', 'TensorProto', 'repeated' },
   [10] = { 'doc_string', 'string' },
   [11] = { 'input', 'ValueInfoProto', 'repeated' },
   [12] = { 'output', 'ValueInfoProto', 'repeated' },
   [13] = { 'value_info', 'ValueInfoProto', 'repeated' },
   [14] = { 'quantization_annotation', 'TensorAnnotation', 'repeated' },
   [15] = { 'sparse_initializer', 'SparseTensorProto', 'repeated' },
   [16] = { 'metadata_props', 'StringStringEntryProto', 'repeated' },
}

messages.NodeProto = {
   [1] = { 'input', 'string', 'repeated' },
   [2] = { 'output', 'string', 'repeated' },
   [3] = { 'name', 'string' },
   [4] = { 'op_type', 'string' },
   [5] = { 'attribute', 'AttributeProto', 'repeated' },
   [6] = { 'doc_string', 'string' },
   [7] = { 'domain', 'string' },
   [8] = { 'overload', 'string' },
   [9] = { 'metadata_props', 'StringStringEntryProto', 'repeated' },
   [10] = { 'device_configurations', 'NodeDeviceConfigurationProto', 'repeated' },
}

messages.NodeDeviceConfigurationProto = {
   [1] = { 'configuration_id', 'string' },
   [2] = { 'sharding_spec', 'ShardingSpecProto', 'repeated' },
   [3] = { 'pipeline_stage', 'int32' },
}

messages.ShardingSpecProto = {
   [1] = { 'tensor_name', 'string' },
   [2] = { 'device', 'int64', 'repeated' },
   [3] = { 'index_to_device_group_map', 'IntIntListEntryProto', 'repeated' },
   [4] = { 'sharded_dim', 'ShardedDimProto', 'repeated' },
}

messages.ShardedDimProto = {
   [1] = { 'axis', 'int64' },
   [2] = { 'simple_sharding', 'SimpleShardedDimProto', 'repeated' },
}

messages.SimpleShardedDimProto = {
   [1] = { 'dim_value', 'int64' },
   [2] = { 'dim_param', 'string' },
   [3] = { 'num_shards', 'int64' },
}

messages.IntIntListEntryProto = {
   [1] = { 'key', 'int64' },
   [2] = { 'value', 'int64', 'repeated' },
}

messages.AttributeProto = {
   [1] = { 'name', 'string' },
   [2] = { 'f', 'float' },
   [3] = { 'i', 'int64' },
   [4] = { 's', 'bytes' },
   [5] = { 't', 'TensorProto' },
   [6] = { 'g', 'GraphProto' },
   [7] = { 'floats', 'float', 'repeated' },
   [8] = { 'ints', 'int64', 'repeated' },
   [9] = { 'strings', 'bytes', 'repeated' },
   [10] = { 'tensors', 'TensorProto', 'repeated' },
   [11] = { 'graphs', 'GraphProto', 'repeated' },
   [13] = { 'doc_string', 'string' },
   [14] = { 'tp', 'TypeProto' },
   [15] = { 'type_protos', 'TypeProto', 'repeated' },
   [20] = { 'type', 'enum' },
   [21] = { 'ref_attr_name', 'string' },
   [22] = { 'sparse_tensor', 'SparseTensorProto' },
   [23] = { 'sparse_tensors', 'SparseTensorProto', 'repeated' },
}

messages.TensorProto = {
   [1] = { 'dims', 'int64', 'repeated' },
   [2] = { 'data_type', 'int32' },
   [3] = { 'segment', 'TensorProto.Segment' },
   [4] = { 'float_data', 'float', 'packed' },
   [5] = { 'int32_data', 'int32', 'packed' },
   [6] = { 'string_data', 'bytes', 'repeated' },
   [7] = { 'int64_data', 'int64', 'packed' },
   [8] = { 'name', 'string' },
   [9] = { 'raw_data', 'bytes' },
   [10] = { 'double_data', 'double', 'packed' },
   [11] = { 'uint64_data', 'uint64', 'packed' },
   [12] = { 'doc_string', 'string' },
   [13] = { 'external_data', 'StringStringEntryProto', 'repeated' },
   [14] = { 'data_location', 'enum' },
   [16] = { 'metadata_props', 'StringStringEntryProto', 'repeated' },
}

messages['TensorProto.Segment'] = {
   [1] = { 'begin', 'int64' },
   [2] = { 'end', 'int64' },
}

messages.SparseTensorProto = {
   [1] = { 'values', 'TensorProto' },
   [2] = { 'indices', 'TensorProto' },
   [3] = { 'dims', 'int64', 'repeated' },
}

messages.TensorAnnotation = {
   [1] = { 'tensor_name', 'string' },
   [2] = { 'quant_parameter_tensor_names', 'StringStringEntryProto', 'repeated' },
}

messages.ValueInfoProto = {
   [1] = { 'name', 'string' },
   [2] = { 'type', 'TypeProto' },
   [3] = { 'doc_string', 'string' },
   [4] = { 'metadata_props', 'StringStringEntryProto', 'repeated' },
}

messages.TypeProto = {
   [1] = { 'tensor_type', 'TypeProto.Tensor' },
   [4] = { 'sequence_type', 'TypeProto.Sequence' },
   [5] = { 'map_type', 'TypeProto.Map' },
   [6] = { 'denotation', 'string' },
   [7] = { 'opaque_type', 'TypeProto.Opaque' },
   [8] = { 'sparse_tensor_type', 'TypeProto.SparseTensor' },
   [9] = { 'optional_type', 'TypeProto.Optional' },
}

messages['TypeProto.Tensor'] = {
   [1] = { 'elem_type', 'int32' },
   [2] = { 'shape', 'TensorShapeProto' },
}

messages['TypeProto.Sequence'] = {
   [1] = { 'elem_type', 'TypeProto' },
}

messages['TypeProto.Map'] = {
   [1] = { 'key_type', 'int32' },
   [2] = { 'value_type', 'TypeProto' },
}

messages['TypeProto.Optional'] = {
   [1] = { 'elem_type', 'TypeProto' },
}

messages['TypeProto.SparseTensor'] = {
   [1] = { 'elem_type', 'int32' },
   [2] = { 'shape', 'TensorShapeProto' },
}

messages['TypeProto.Opaque'] = {
   [1] = { 'domain', 'string' },
   [2] = { 'name', 'string' },
}

messages.TensorShapeProto = {
   [1] = { 'dim', 'TensorShapeProto.Dimension', 'repeated' },
}

messages['TensorShapeProto.Dimension'] = {
   [1] = { 'dim_value', 'int64' },
   [2] = { 'dim_param', 'string' },
   [3] = { 'denotation', 'string' },
}

-- ---- names of numbers ----------------------------------------------------------------------------------------------

--- Element type of a tensor: its number in the file -> its name here, in lower case.
messages.types = {
   [0] = 'undefined', 'float', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'double',
   'uint32', 'uint64', 'complex64', 'complex128', 'bfloat16', 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz',
   'uint4', 'int4', 'float4e2m1', 'float8e8m0', 'uint2', 'int2',
}

--- Name of an element type -> its number in the file.
messages.type_numbers = {}
for number, name in pairs(messages.types) do messages.type_numbers[name] = number end

--- Type of an attribute: its number in the file -> the field of AttributeProto that holds the value.
messages.attributes = {
   'f', 'i', 's', 't', 'g', 'floats', 'ints', 'strings', 'tensors', 'graphs', 'sparse_tensor', 'sparse_tensors', 'tp', 'type_protos',
}

--- Values of TensorProto.data_location.
messages.locations = { [0] = 'default', 'external' }

return messages
