"""What each operation of tf.raw_ops is in terms of the functions of tf: arguments as TensorFlow's registry names them, and an expression.

BY_ARGUMENTS has those that hand their arguments on in order; ROWS the others: "Op(arguments) = expression", or
"Op(arguments) -> fields = expression" where the results have names; lines that are indented go on with the one before. In expressions `tf` is Brio;
the helpers are those of raw_ops.py."""

BY_ARGUMENTS = {
    "x": """
        Abs=abs Acos=acos Acosh=acosh Asin=asin Asinh=asinh Atan=atan Atanh=atanh Ceil=math.ceil Cos=cos Cosh=cosh Digamma=math.digamma Erf=math.erf
        Erfc=math.erfc Erfinv=math.erfinv Exp=exp Expm1=math.expm1 Floor=floor Inv=math.reciprocal Invert=bitwise.invert
        InvertPermutation=math.invert_permutation IsFinite=math.is_finite IsInf=math.is_inf IsNan=math.is_nan Lgamma=math.lgamma Log=math.log
        Log1p=math.log1p LogicalNot=logical_not Ndtri=math.ndtri Neg=negative OnesLike=ones_like Reciprocal=math.reciprocal Rint=math.rint Round=round
        Rsqrt=math.rsqrt Sigmoid=sigmoid Sign=sign Sin=sin Sinh=sinh Sqrt=sqrt Square=square Tan=tan Tanh=tanh ZerosLike=zeros_like DeepCopy=identity
        BesselI0=math.bessel_i0 BesselI0e=math.bessel_i0e BesselI1=math.bessel_i1 BesselI1e=math.bessel_i1e BesselJ0=math.special.bessel_j0
        BesselJ1=math.special.bessel_j1 BesselK0=math.special.bessel_k0 BesselK0e=math.special.bessel_k0e BesselK1=math.special.bessel_k1
        BesselK1e=math.special.bessel_k1e BesselY0=math.special.bessel_y0 BesselY1=math.special.bessel_y1 Dawsn=math.special.dawsn
        Expint=math.special.expint FresnelCos=math.special.fresnel_cos FresnelSin=math.special.fresnel_sin Spence=math.special.spence
    """,
    "x, y": """
        Add=add AddV2=add BitwiseAnd=bitwise.bitwise_and BitwiseOr=bitwise.bitwise_or BitwiseXor=bitwise.bitwise_xor DivNoNan=math.divide_no_nan
        FloorDiv=math.floordiv FloorMod=math.floormod Greater=greater GreaterEqual=greater_equal LeftShift=bitwise.left_shift Less=less
        LessEqual=less_equal LogicalAnd=logical_and LogicalOr=logical_or Maximum=maximum Minimum=minimum Mul=multiply
        MulNoNan=math.multiply_no_nan Pow=pow RealDiv=divide RightShift=bitwise.right_shift SquaredDifference=math.squared_difference Sub=subtract
        Xdivy=math.xdivy Xlog1py=math.xlog1py Xlogy=math.xlogy TruncateMod=truncatemod TruncateDiv=truncatediv
    """,
    "features": "Elu=nn.elu Relu=nn.relu Relu6=nn.relu6 Selu=nn.selu Softplus=nn.softplus Softsign=nn.softsign",
    "logits": "LogSoftmax=nn.log_softmax Softmax=nn.softmax",
    "input, axis, keep_dims=False": """
        All=reduce_all Any=reduce_any EuclideanNorm=math.reduce_euclidean_norm Max=reduce_max Mean=reduce_mean Min=reduce_min Prod=reduce_prod
        Sum=reduce_sum
    """,
    "x, axis, exclusive=False, reverse=False": "Cumprod=math.cumprod Cumsum=cumsum CumulativeLogsumexp=math.cumulative_logsumexp",
    "a, x": "Igamma=math.igamma Igammac=math.igammac Polygamma=math.polygamma",
    "x, q": "Zeta=math.zeta",
    "a, b, x": "Betainc=math.betainc",
    "a, b": "Cross=linalg.cross",
    "y, x": "Atan2=atan2",
    "x1, x2": "NextAfter=math.nextafter",
    "inputs": "AddN=add_n",
    "t": "L2Loss=nn.l2_loss",
    "t, clip_value_min, clip_value_max": "ClipByValue=clip_by_value",
    # arrays
    "input": """
        Identity=identity Snapshot=identity StopGradient=stop_gradient Rank=rank DiagPart=linalg.tensor_diag_part
        MatrixDiagPart=linalg.diag_part MatrixDeterminant=linalg.det MatrixExponential=linalg.expm MatrixLogarithm=linalg.logm
        MatrixSquareRoot=linalg.sqrtm Cholesky=linalg.cholesky Conj=math.conj FFT=signal.fft FFT2D=signal.fft2d FFT3D=signal.fft3d IFFT=signal.ifft
        IFFT2D=signal.ifft2d IFFT3D=signal.ifft3d StringStrip=strings.strip DecodeBase64=io.decode_base64 IdentityN=identity_n
        GuaranteeConst=identity PreventGradient=stop_gradient
    """,
    "diagonal": "Diag=linalg.tensor_diag MatrixDiag=linalg.diag",
    "input, diagonal": "MatrixSetDiag=linalg.set_diag",
    "input, num_lower, num_upper": "MatrixBandPart=linalg.band_part",
    "input, multiples": "Tile=tile",
    "input, shape": "BroadcastTo=broadcast_to EnsureShape=ensure_shape",
    "input, paddings": "Pad=pad",
    "input, begin, size": "Slice=slice",
    "input, shift, axis": "Roll=roll",
    "s0, s1": "BroadcastArgs=broadcast_dynamic_shape",
    "dims, value": "Fill=fill",
    "tensor, shape": "Reshape=reshape",
    "tensor, axis": "ReverseV2=reverse",
    "x, perm": "Transpose=transpose",
    "start, limit, delta": "Range=range",
    "start, stop, num": "LinSpace=linspace",
    "values, axis": "ConcatV2=concat",
    "values, axis=0": "Pack=stack",
    "input, axis": "ExpandDims=expand_dims",
    "indices, depth, on_value, off_value, axis=-1": "OneHot=one_hot",
    "indices, dims": "UnravelIndex=unravel_index",
    "condition, t, e": "SelectV2=where",
    "condition": "Where=where",
    "tensor, indices, updates": """
        TensorScatterAdd=tensor_scatter_nd_add TensorScatterMax=tensor_scatter_nd_max TensorScatterMin=tensor_scatter_nd_min
        TensorScatterSub=tensor_scatter_nd_sub TensorScatterUpdate=tensor_scatter_nd_update
    """,
    "data, segment_ids": """
        SegmentMax=math.segment_max SegmentMean=math.segment_mean SegmentMin=math.segment_min SegmentProd=math.segment_prod
        SegmentSum=math.segment_sum
    """,
    "data, segment_ids, num_segments": """
        UnsortedSegmentMax=math.unsorted_segment_max UnsortedSegmentMin=math.unsorted_segment_min
        UnsortedSegmentProd=math.unsorted_segment_prod UnsortedSegmentSum=math.unsorted_segment_sum
    """,
    "data, partitions, num_partitions": "DynamicPartition=dynamic_partition",
    "indices, data": "DynamicStitch=dynamic_stitch ParallelDynamicStitch=dynamic_stitch",
    "input, block_shape, crops": "BatchToSpaceND=batch_to_space",
    "input, block_shape, paddings": "SpaceToBatchND=space_to_batch",
    "input, block_size, data_format='NHWC'": "DepthToSpace=nn.depth_to_space SpaceToDepth=nn.space_to_depth",
    # pictures and sound
    "images, contrast_factor": "AdjustContrastv2=image.adjust_contrast",
    "images, delta": "AdjustHue=image.adjust_hue",
    "images, scale": "AdjustSaturation=image.adjust_saturation",
    "images": "HSVToRGB=image.hsv_to_rgb RGBToHSV=image.rgb_to_hsv",
    "images, boxes, colors": "DrawBoundingBoxesV2=image.draw_bounding_boxes",
    "image, boxes, box_ind, crop_size, method='bilinear', extrapolation_value=0.0": "CropAndResize=image.crop_and_resize",
    "contents": "DecodeGif=image.decode_gif",
    "contents, channels=0": "DecodeBmp=image.decode_bmp",
    "contents, channels=0, dtype='uint8'": "DecodePng=image.decode_png",
    "contents, channels=0, dtype='uint8', expand_animations=True": "DecodeImage=image.decode_image",
    "contents, output_type='int32'": "ExtractJpegShape=image.extract_jpeg_shape",
    "audio, sample_rate": "EncodeWav=audio.encode_wav",
    "image, compression=-1": "EncodePng=io.encode_png",
    # strings and files
    "inputs, separator=''": "StringJoin=strings.join",
    "input, unit='BYTE'": "StringLength=strings.length",
    "input, encoding=''": "StringLower=strings.lower StringUpper=strings.upper",
    "input, num_buckets": "StringToHashBucketFast=strings.to_hash_bucket_fast",
    "string_tensor, num_buckets": "StringToHashBucket=strings.to_hash_bucket",
    "input, num_buckets, key": "StringToHashBucketStrong=strings.to_hash_bucket_strong",
    "string_tensor, out_type='float32'": "StringToNumber=strings.to_number",
    "input, pos, len, unit='BYTE'": "Substr=strings.substr",
    "input, pad=False": "EncodeBase64=io.encode_base64",
    "input, pattern": "RegexFullMatch=strings.regex_full_match StaticRegexFullMatch=strings.regex_full_match",
    "input, pattern, rewrite, replace_global=True": "RegexReplace=strings.regex_replace StaticRegexReplace=strings.regex_replace",
    "input, precision=-1, scientific=False, shortest=False, width=-1, fill=''": "AsString=strings.as_string",
    "bytes, out_type, little_endian=True": "DecodeRaw=io.decode_raw",
    "pattern": "MatchingFiles=io.matching_files",
    "filename": "ReadFile=io.read_file",
    "filename, contents": "WriteFile=io.write_file",
    "tensor": "SerializeTensor=io.serialize_tensor",
    "serialized, out_type": "ParseTensor=io.parse_tensor",
    "data, method": "Fingerprint=fingerprint",
    # linear algebra, quantised values, the rest
    "matrix, rhs, adjoint=False": "MatrixSolve=linalg.solve",
    "matrix, rhs, lower=True, adjoint=False": "MatrixTriangularSolve=linalg.triangular_solve",
    "input, adjoint=False": "MatrixInverse=linalg.inv",
    "inputs, min=-6, max=6, num_bits=8, narrow_range=False": "FakeQuantWithMinMaxArgs=quantization.fake_quant_with_min_max_args",
    "inputs, min, max, num_bits=8, narrow_range=False": """
        FakeQuantWithMinMaxVars=quantization.fake_quant_with_min_max_vars
        FakeQuantWithMinMaxVarsPerChannel=quantization.fake_quant_with_min_max_vars_per_channel
    """,
    "input, depth_radius=5, bias=1, alpha=1, beta=0.5": "LRN=nn.local_response_normalization",
    "features, alpha=0.2": "LeakyRelu=nn.leaky_relu",
    "value, bias": "BiasAddV1=nn.bias_add",
    "value, bias, data_format='NHWC'": "BiasAdd=nn.bias_add",
    "value, ksize, strides, padding, data_format='NHWC'": "AvgPool=nn.avg_pool2d",
    "input, ksize, strides, padding, data_format='NHWC'": "MaxPoolV2=nn.max_pool2d",
    "input, ksize, strides, padding, data_format='NDHWC'": "AvgPool3D=nn.avg_pool3d MaxPool3D=nn.max_pool3d",
    "input, filter, strides, padding, data_format='NDHWC', dilations=[1, 1, 1, 1, 1]": "Conv3D=nn.conv3d",
    "tensor, message": "CheckNumerics=debugging.check_numerics CheckNumericsV2=debugging.check_numerics",
    "condition, data, summarize=3": "Assert=debugging.Assert",
    "": "NoOp=no_op Timestamp=timestamp",
    "values, value_range, nbins=100, dtype='int32'": "HistogramFixedWidth=histogram_fixed_width",
}  # fmt: skip

ROWS = """
AccumulateNV2(inputs, shape) = tf.add_n(inputs)
ApproximateEqual(x, y, tolerance=1e-05) = tf.abs(tf.subtract(x, y)) < tolerance
Angle(input, Tout="float32") = tf.math.angle(input)
ArgMax(input, dimension, output_type="int64") = tf.argmax(input, dimension, output_type)
ArgMin(input, dimension, output_type="int64") = tf.argmin(input, dimension, output_type)
Bucketize(input, boundaries) = bucketized(input, boundaries)
Bincount(arr, size, weights) = counts(arr, size, weights, False)
DenseBincount(input, size, weights, binary_output=False) = counts(input, size, weights, binary_output)
Bitcast(input, type) = tf.bitcast(input, type)
Cast(x, DstT, Truncate=False) = tf.cast(x, DstT)
Complex(real, imag, Tout="complex64") = tf.complex(real, imag)
ComplexAbs(x, Tout="float32") = tf.abs(x)
Real(input, Tout="float32") = tf.math.real(input)
Imag(input, Tout="float32") = tf.math.imag(input)
Div(x, y) = tf.truncatediv(x, y) if tf.convert_to_tensor(x).dtype.is_integer else tf.divide(x, y)
Mod(x, y) = tf.truncatemod(x, y)
Equal(x, y, incompatible_shape_error=True) = tf.equal(x, y)
NotEqual(x, y, incompatible_shape_error=True) = tf.not_equal(x, y)
MatMul(a, b, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False) = tf.matmul(a, b, transpose_a, transpose_b)
SparseMatMul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False) = tf.matmul(a, b, transpose_a, transpose_b)
BatchMatMul(x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False) = tf.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y)
BatchMatMulV2(x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False) = tf.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y)
BatchMatMulV3(x, y, Tout, adj_x=False, adj_y=False, grad_x=False, grad_y=False) = tf.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y, output_type=Tout)
Einsum(inputs, equation) = tf.einsum(equation, *inputs)
PopulationCount(x) = population_count(x)
ToBool(input) = tf.not_equal(input, tf.zeros_like(input))

Concat(concat_dim, values) = tf.concat(values, concat_dim)
ConcatOffset(concat_dim, shape) = concat_offset(concat_dim, shape)
ConjugateTranspose(x, perm) = tf.math.conj(tf.transpose(x, perm))
Const(value, dtype) = tf.constant(value, dtype)
Empty(shape, dtype, init=False) = tf.zeros(shape, dtype)
Gather(params, indices, validate_indices=True) = tf.gather(params, indices)
GatherV2(params, indices, axis, batch_dims=0) = tf.gather(params, indices, axis=axis, batch_dims=batch_dims)
GatherNd(params, indices, bad_indices_policy="") = tf.gather_nd(params, indices)
ScatterNd(indices, updates, shape, bad_indices_policy="") = tf.scatter_nd(indices, updates, shape)
InplaceAdd(x, i, v) = tf.tensor_scatter_nd_add(x, tf.expand_dims(i, -1), v)
InplaceSub(x, i, v) = tf.tensor_scatter_nd_sub(x, tf.expand_dims(i, -1), v)
InplaceUpdate(x, i, v) = tf.tensor_scatter_nd_update(x, tf.expand_dims(i, -1), v)
ListDiff(x, y, out_idx="int32") -> out idx = list_diff(x, y, out_idx)
LowerBound(sorted_inputs, values, out_type="int32") = tf.searchsorted(sorted_inputs, values, "left", out_type)
UpperBound(sorted_inputs, values, out_type="int32") = tf.searchsorted(sorted_inputs, values, "right", out_type)
MatrixDiagV2(diagonal, k, num_rows, num_cols, padding_value) = tf.linalg.diag(diagonal, k=k, num_rows=whole(num_rows), num_cols=whole(num_cols),
    padding_value=padding_value, align="LEFT_LEFT")
MatrixDiagV3(diagonal, k, num_rows, num_cols, padding_value, align="RIGHT_LEFT") = tf.linalg.diag(diagonal, k=k, num_rows=whole(num_rows),
    num_cols=whole(num_cols), padding_value=padding_value, align=align)
MatrixDiagPartV2(input, k, padding_value) = tf.linalg.diag_part(input, k=k, padding_value=padding_value, align="LEFT_LEFT")
MatrixDiagPartV3(input, k, padding_value, align="RIGHT_LEFT") = tf.linalg.diag_part(input, k=k, padding_value=padding_value, align=align)
MatrixSetDiagV2(input, diagonal, k) = tf.linalg.set_diag(input, diagonal, k=k, align="LEFT_LEFT")
MatrixSetDiagV3(input, diagonal, k, align="RIGHT_LEFT") = tf.linalg.set_diag(input, diagonal, k=k, align=align)
MirrorPad(input, paddings, mode) = tf.pad(input, paddings, mode)
PadV2(input, paddings, constant_values) = tf.pad(input, paddings, constant_values=constant_values)
ParallelConcat(values, shape) = tf.concat(values, 0)
Reverse(tensor, dims) = tf.reverse(tensor, [i for i, yes in enumerate(tf.convert_to_tensor(dims).numpy().tolist()) if yes])
ReverseSequence(input, seq_lengths, seq_dim, batch_dim=0) = tf.reverse_sequence(input, seq_lengths, seq_dim, batch_dim)
Select(condition, x, y) = tf.where(leading(condition, x), x, y)
Shape(input, out_type="int32") = tf.shape(input, out_type)
ShapeN(input, out_type="int32") = [tf.shape(x, out_type) for x in input]
VariableShape(input, out_type="int32") = tf.shape(input, out_type)
Size(input, out_type="int32") = tf.size(input, out_type)
Split(axis, value, num_split) = tf.split(value, num_split, whole(axis))
SplitV(value, size_splits, axis, num_split) = tf.split(value, size_splits, whole(axis), num_split)
Squeeze(input, axis=[]) = tf.squeeze(input, axis or None)
StridedSlice(input, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) = tf.strided_slice(input,
    begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
StridedSliceGrad(shape, begin, end, strides, dy, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) = vjp(lambda x:
    tf.strided_slice(x, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask), zeros(shape, dy), dy)
Unpack(value, num, axis=0) = tf.unstack(value, num, axis)
Unique(x, out_idx="int32") -> y idx = tf.unique(x, out_idx)
UniqueWithCounts(x, out_idx="int32") -> y idx count = tf.unique_with_counts(x, out_idx)
BatchToSpace(input, crops, block_size) = tf.batch_to_space(input, [block_size, block_size], crops)
SpaceToBatch(input, paddings, block_size) = tf.space_to_batch(input, [block_size, block_size], paddings)
TopK(input, k, sorted=True) -> values indices = tf.math.top_k(input, k, sorted)
TopKV2(input, k, sorted=True, index_type="int32") -> values indices = tf.math.top_k(input, whole(k), sorted, index_type)
InTopK(predictions, targets, k) = tf.math.in_top_k(targets, predictions, k)
InTopKV2(predictions, targets, k) = tf.math.in_top_k(targets, predictions, whole(k))
NthElement(input, n, reverse=False) = tf.gather(tf.sort(input, direction="DESCENDING" if reverse else "ASCENDING"), n, axis=-1)
BroadcastGradientArgs(s0, s1) -> r0 r1 = broadcast_gradient_args(s0, s1)
SegmentSumV2(data, segment_ids, num_segments) = tf.math.unsorted_segment_sum(data, segment_ids, num_segments)
SparseSegmentMean(data, indices, segment_ids, sparse_gradient=False) = tf.sparse.segment_mean(data, indices, segment_ids)
SparseSegmentSqrtN(data, indices, segment_ids, sparse_gradient=False) = tf.sparse.segment_sqrt_n(data, indices, segment_ids)
SparseSegmentSum(data, indices, segment_ids, sparse_gradient=False) = tf.sparse.segment_sum(data, indices, segment_ids)
SparseSegmentMeanWithNumSegments(data, indices, segment_ids, num_segments, sparse_gradient=False) = tf.sparse.segment_mean(data, indices, segment_ids,
    num_segments)
SparseSegmentSqrtNWithNumSegments(data, indices, segment_ids, num_segments, sparse_gradient=False) = tf.sparse.segment_sqrt_n(data, indices,
    segment_ids, num_segments)
SparseSegmentSumWithNumSegments(data, indices, segment_ids, num_segments, sparse_gradient=False) = tf.sparse.segment_sum(data, indices, segment_ids,
    num_segments)

Conv2D(input, filter, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1]) = tf.nn.conv2d(input,
    filter, strides, padded(padding, explicit_paddings), data_format, dilations)
Conv2DBackpropFilter(input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC",
    dilations=[1, 1, 1, 1]) = vjp(lambda f: tf.nn.conv2d(input, f, strides, padded(padding, explicit_paddings), data_format, dilations),
    zeros(filter_sizes, input), out_backprop)
Conv2DBackpropInput(input_sizes, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC",
    dilations=[1, 1, 1, 1]) = vjp(lambda x: tf.nn.conv2d(x, filter, strides, padded(padding, explicit_paddings), data_format, dilations),
    zeros(input_sizes, filter), out_backprop)
Conv3DBackpropFilterV2(input, filter_sizes, out_backprop, strides, padding, data_format="NDHWC", dilations=[1, 1, 1, 1, 1]) = vjp(lambda f:
    tf.nn.conv3d(input, f, strides, padding, data_format, dilations), zeros(filter_sizes, input), out_backprop)
Conv3DBackpropInputV2(input_sizes, filter, out_backprop, strides, padding, data_format="NDHWC", dilations=[1, 1, 1, 1, 1]) = vjp(lambda x:
    tf.nn.conv3d(x, filter, strides, padding, data_format, dilations), zeros(input_sizes, filter), out_backprop)
DepthwiseConv2dNative(input, filter, strides, padding, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1, 1]) =
    tf.nn.depthwise_conv2d(input, filter, strides, padded(padding, explicit_paddings), data_format, dilations[1:3] if data_format == "NHWC" else
    dilations[2:4])
DepthwiseConv2dNativeBackpropFilter(input, filter_sizes, out_backprop, strides, padding, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1,
    1]) = vjp(lambda f: tf.nn.depthwise_conv2d(input, f, strides, padded(padding, explicit_paddings), data_format, dilations[1:3] if data_format ==
    "NHWC" else dilations[2:4]), zeros(filter_sizes, input), out_backprop)
DepthwiseConv2dNativeBackpropInput(input_sizes, filter, out_backprop, strides, padding, explicit_paddings=[], data_format="NHWC", dilations=[1, 1, 1,
    1]) = vjp(lambda x: tf.nn.depthwise_conv2d(x, filter, strides, padded(padding, explicit_paddings), data_format, dilations[1:3] if data_format ==
    "NHWC" else dilations[2:4]), zeros(input_sizes, filter), out_backprop)
Dilation2D(input, filter, strides, rates, padding) = tf.nn.dilation2d(input, filter, strides, padding, "NHWC", rates)
MaxPool(input, ksize, strides, padding, explicit_paddings=[], data_format="NHWC") = tf.nn.max_pool2d(input, ksize, strides, padded(padding,
    explicit_paddings), data_format)
MaxPoolWithArgmax(input, ksize, strides, padding, Targmax="int64", include_batch_in_index=False) -> output argmax = tf.nn.max_pool_with_argmax(input,
    ksize, strides, padding, "NHWC", Targmax, include_batch_in_index)
AvgPoolGrad(orig_input_shape, grad, ksize, strides, padding, data_format="NHWC") = vjp(lambda x: tf.nn.avg_pool2d(x, ksize, strides, padding,
    data_format), zeros(orig_input_shape, grad), grad)
AvgPool3DGrad(orig_input_shape, grad, ksize, strides, padding, data_format="NDHWC") = vjp(lambda x: tf.nn.avg_pool3d(x, ksize, strides, padding,
    data_format), zeros(orig_input_shape, grad), grad)
MaxPoolGrad(orig_input, orig_output, grad, ksize, strides, padding, explicit_paddings=[], data_format="NHWC") = vjp(lambda x: tf.nn.max_pool2d(x,
    ksize, strides, padded(padding, explicit_paddings), data_format), orig_input, grad)
MaxPool3DGrad(orig_input, orig_output, grad, ksize, strides, padding, data_format="NDHWC") = vjp(lambda x: tf.nn.max_pool3d(x, ksize, strides,
    padding, data_format), orig_input, grad)
BiasAddGrad(out_backprop, data_format="NHWC") = tf.reduce_sum(out_backprop, [i for i in range(len(out_backprop.shape)) if i !=
    (len(out_backprop.shape) - 1 if data_format == "NHWC" else 1)])
FusedBatchNorm(x, scale, offset, mean, variance, epsilon=0.0001, exponential_avg_factor=1, data_format="NHWC", is_training=True) -> y batch_mean
    batch_variance reserve_space_1 reserve_space_2 = fused_batch_norm(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format,
    is_training)
FusedBatchNormV2(x, scale, offset, mean, variance, epsilon=0.0001, exponential_avg_factor=1, data_format="NHWC", is_training=True) -> y batch_mean
    batch_variance reserve_space_1 reserve_space_2 = fused_batch_norm(x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format,
    is_training)
FusedBatchNormV3(x, scale, offset, mean, variance, epsilon=0.0001, exponential_avg_factor=1, data_format="NHWC", is_training=True) -> y batch_mean
    batch_variance reserve_space_1 reserve_space_2 reserve_space_3 = (*fused_batch_norm(x, scale, offset, mean, variance, epsilon,
    exponential_avg_factor, data_format, is_training), tf.zeros([0]))
SoftmaxCrossEntropyWithLogits(features, labels) -> loss backprop = cross_entropy(features, labels)
SparseSoftmaxCrossEntropyWithLogits(features, labels) -> loss backprop = cross_entropy(features, tf.one_hot(labels, tf.shape(features)[-1],
    dtype=features.dtype))
EluGrad(gradients, outputs) = tf.where(outputs < 0, gradients * (outputs + 1), gradients)
LeakyReluGrad(gradients, features, alpha=0.2) = tf.where(features > 0, gradients, gradients * alpha)
ReluGrad(gradients, features) = tf.where(features > 0, gradients, tf.zeros_like(gradients))
Relu6Grad(gradients, features) = tf.where((features > 0) & (features < 6), gradients, tf.zeros_like(gradients))
SeluGrad(gradients, outputs) = tf.where(outputs < 0, gradients * (outputs + 1.7580993408473768), gradients * 1.0507009873554805)
SoftplusGrad(gradients, features) = gradients * tf.sigmoid(features)
SoftsignGrad(gradients, features) = gradients / tf.square(1 + tf.abs(features))
InvGrad(y, dy) = -dy * tf.math.conj(y * y)
ReciprocalGrad(y, dy) = -dy * tf.math.conj(y * y)
RsqrtGrad(y, dy) = dy * -0.5 * tf.math.conj(y * y * y)
SigmoidGrad(y, dy) = dy * y * (1 - y)
SqrtGrad(y, dy) = dy * 0.5 / y
TanhGrad(y, dy) = dy * (1 - y * y)
CTCLoss(inputs, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False) -> loss gradient = ctc_loss(inputs, labels_indices, labels_values, sequence_length)

AdjustContrast(images, contrast_factor, min_value, max_value) = tf.clip_by_value(tf.image.adjust_contrast(tf.cast(images, "float32"),
    contrast_factor), min_value, max_value)
CombinedNonMaxSuppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold, pad_per_class=False,
    clip_boxes=True) -> nmsed_boxes nmsed_scores nmsed_classes valid_detections = tf.image.combined_non_max_suppression(boxes, scores,
    max_output_size_per_class, max_total_size, iou_threshold, score_threshold, pad_per_class, clip_boxes)
DecodeJpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="") =
    tf.image.decode_jpeg(contents, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
DecodeAndCropJpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="")
    = tf.image.decode_and_crop_jpeg(contents, crop_window, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method)
EncodeJpeg(image, format="", quality=95, progressive=False, optimize_size=False, chroma_downsampling=True, density_unit="in", x_density=300,
    y_density=300, xmp_metadata="") = tf.io.encode_jpeg(image, format, quality, progressive, optimize_size, chroma_downsampling, density_unit,
    x_density, y_density, xmp_metadata)
DecodeWav(contents, desired_channels=-1, desired_samples=-1) -> audio sample_rate = tf.audio.decode_wav(contents, desired_channels, desired_samples)
ExtractImagePatches(images, ksizes, strides, rates, padding) = tf.image.extract_patches(images, ksizes, strides, rates, padding)
ExtractVolumePatches(input, ksizes, strides, padding) = tf.extract_volume_patches(input, ksizes, strides, padding)
NonMaxSuppression(boxes, scores, max_output_size, iou_threshold=0.5) = tf.image.non_max_suppression(boxes, scores, max_output_size, iou_threshold)
NonMaxSuppressionV2(boxes, scores, max_output_size, iou_threshold) = tf.image.non_max_suppression(boxes, scores, max_output_size, iou_threshold)
NonMaxSuppressionV3(boxes, scores, max_output_size, iou_threshold, score_threshold) = tf.image.non_max_suppression(boxes, scores, max_output_size,
    iou_threshold, score_threshold)
NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold) = tf.image.non_max_suppression_overlaps(overlaps,
    scores, max_output_size, overlap_threshold, score_threshold)
ResizeArea(images, size, align_corners=False) = tf.compat.v1.image.resize_area(images, size, align_corners)
ResizeBicubic(images, size, align_corners=False, half_pixel_centers=False) = resized("bicubic", images, size, align_corners, half_pixel_centers)
ResizeBilinear(images, size, align_corners=False, half_pixel_centers=False) = resized("bilinear", images, size, align_corners, half_pixel_centers)
ResizeNearestNeighbor(images, size, align_corners=False, half_pixel_centers=False) = resized("nearest_neighbor", images, size, align_corners,
    half_pixel_centers)

RFFT(input, fft_length, Tcomplex="complex64") = tf.signal.rfft(input, fft_length)
RFFT2D(input, fft_length, Tcomplex="complex64") = tf.signal.rfft2d(input, fft_length)
RFFT3D(input, fft_length, Tcomplex="complex64") = tf.signal.rfft3d(input, fft_length)
IRFFT(input, fft_length, Treal="float32") = tf.signal.irfft(input, fft_length)
IRFFT2D(input, fft_length, Treal="float32") = tf.signal.irfft2d(input, fft_length)
IRFFT3D(input, fft_length, Treal="float32") = tf.signal.irfft3d(input, fft_length)
CholeskyGrad(l, grad) = vjp(tf.linalg.cholesky, tf.matmul(l, l, adjoint_b=True), grad)
Eig(input, Tout, compute_v=True) -> e v = tf.linalg.eig(input) if compute_v else (tf.linalg.eigvals(input), tf.zeros([0], Tout))
SelfAdjointEigV2(input, compute_v=True) -> e v = tf.linalg.eigh(input) if compute_v else (tf.linalg.eigvalsh(input), tf.zeros([0], input.dtype))
LogMatrixDeterminant(input) -> sign log_abs_determinant = tf.linalg.slogdet(input)
Lu(input, output_idx_type="int32") -> lu p = tf.linalg.lu(input, output_idx_type)
MatrixSolveLs(matrix, rhs, l2_regularizer, fast=True) = tf.linalg.lstsq(matrix, rhs, l2_regularizer, fast)
Qr(input, full_matrices=False) -> q r = tf.linalg.qr(input, full_matrices)
Svd(input, compute_uv=True, full_matrices=False) -> s u v = tf.linalg.svd(input, full_matrices) if compute_uv else (tf.linalg.svd(input,
    compute_uv=False), tf.zeros([0], input.dtype), tf.zeros([0], input.dtype))
TridiagonalMatMul(superdiag, maindiag, subdiag, rhs) = tf.linalg.tridiagonal_matmul((superdiag[..., 0, :], maindiag[..., 0, :], subdiag[..., 0, :]),
    rhs, "sequence")
TridiagonalSolve(diagonals, rhs, partial_pivoting=True, perturb_singular=False) = tf.linalg.tridiagonal_solve(diagonals, rhs,
    partial_pivoting=partial_pivoting)

RandomGamma(shape, alpha, seed=0, seed2=0) = tf.random.gamma(shape, alpha, dtype=tf.convert_to_tensor(alpha).dtype, seed=drawn(seed, seed2))
RandomPoissonV2(shape, rate, seed=0, seed2=0, dtype="int64") = tf.random.poisson(shape, rate, dtype, drawn(seed, seed2))
RandomShuffle(value, seed=0, seed2=0) = tf.random.shuffle(value, drawn(seed, seed2))
RandomStandardNormal(shape, dtype, seed=0, seed2=0) = tf.random.normal(shape, dtype=dtype, seed=drawn(seed, seed2))
RandomUniform(shape, dtype, seed=0, seed2=0) = tf.random.uniform(shape, dtype=dtype, seed=drawn(seed, seed2))
RandomUniformInt(shape, minval, maxval, seed=0, seed2=0) = tf.random.uniform(shape, minval, maxval, tf.convert_to_tensor(minval).dtype, drawn(seed,
    seed2))
TruncatedNormal(shape, dtype, seed=0, seed2=0) = tf.random.truncated_normal(shape, dtype=dtype, seed=drawn(seed, seed2))
Multinomial(logits, num_samples, seed=0, seed2=0, output_dtype="int64") = tf.random.categorical(logits, whole(num_samples), output_dtype, drawn(seed,
    seed2))
StatelessMultinomial(logits, num_samples, seed, output_dtype="int64") = tf.random.stateless_categorical(logits, whole(num_samples), seed,
    output_dtype)
StatelessRandomBinomial(shape, seed, counts, probs, dtype="int64") = tf.random.stateless_binomial(shape, seed, counts, probs, dtype)
StatelessRandomGammaV2(shape, seed, alpha) = tf.random.stateless_gamma(shape, seed, alpha, dtype=tf.convert_to_tensor(alpha).dtype)
StatelessRandomNormal(shape, seed, dtype="float32") = tf.random.stateless_normal(shape, seed, dtype=dtype)
StatelessRandomPoisson(shape, seed, lam, dtype) = tf.random.stateless_poisson(shape, seed, lam, dtype)
StatelessRandomUniform(shape, seed, dtype="float32") = tf.random.stateless_uniform(shape, seed, dtype=dtype)
StatelessRandomUniformFullInt(shape, seed, dtype="uint64") = full_range(shape, seed, dtype)
StatelessRandomUniformInt(shape, seed, minval, maxval) = tf.random.stateless_uniform(shape, seed, minval, maxval, tf.convert_to_tensor(minval).dtype)
StatelessTruncatedNormal(shape, seed, dtype="float32") = tf.random.stateless_truncated_normal(shape, seed, dtype=dtype)

SparseAdd(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh) -> sum_indices sum_values sum_shape =
    parts(tf.sparse.add(tf.SparseTensor(a_indices, a_values, a_shape), tf.SparseTensor(b_indices, b_values, b_shape), thresh))
SparseConcat(indices, values, shapes, concat_dim) -> output_indices output_values output_shape = parts(tf.sparse.concat(concat_dim,
    [tf.SparseTensor(*one) for one in zip(indices, values, shapes)]))
SparseFillEmptyRows(indices, values, dense_shape, default_value) -> output_indices output_values empty_row_indicator reverse_index_map =
    fill_empty_rows(indices, values, dense_shape, default_value)
SparseReduceMax(input_indices, input_values, input_shape, reduction_axes, keep_dims=False) = tf.sparse.reduce_max(tf.SparseTensor(input_indices,
    input_values, input_shape), reduction_axes, keep_dims)
SparseReduceSum(input_indices, input_values, input_shape, reduction_axes, keep_dims=False) = tf.sparse.reduce_sum(tf.SparseTensor(input_indices,
    input_values, input_shape), reduction_axes, keep_dims)
SparseReorder(input_indices, input_values, input_shape) -> output_indices output_values = parts(tf.sparse.reorder(tf.SparseTensor(input_indices,
    input_values, input_shape)))[:2]
SparseReshape(input_indices, input_shape, new_shape) -> output_indices output_shape = parts(tf.sparse.reshape(tf.SparseTensor(input_indices,
    tf.zeros_like(input_indices)[:, 0], input_shape), new_shape))[::2]
SparseSlice(indices, values, shape, start, size) -> output_indices output_values output_shape = parts(tf.sparse.slice(tf.SparseTensor(indices, values,
    shape), start, size))
SparseSoftmax(sp_indices, sp_values, sp_shape) = tf.sparse.softmax(tf.SparseTensor(sp_indices, sp_values, sp_shape)).values
SparseSparseMaximum(a_indices, a_values, a_shape, b_indices, b_values, b_shape) -> output_indices output_values =
    parts(tf.sparse.maximum(tf.SparseTensor(a_indices, a_values, a_shape), tf.SparseTensor(b_indices, b_values, b_shape)))[:2]
SparseSparseMinimum(a_indices, a_values, a_shape, b_indices, b_values, b_shape) -> output_indices output_values =
    parts(tf.sparse.minimum(tf.SparseTensor(a_indices, a_values, a_shape), tf.SparseTensor(b_indices, b_values, b_shape)))[:2]
SparseTensorDenseAdd(a_indices, a_values, a_shape, b) = tf.sparse.add(tf.SparseTensor(a_indices, a_values, a_shape), b)
SparseTensorDenseMatMul(a_indices, a_values, a_shape, b, adjoint_a=False, adjoint_b=False) = tf.sparse.sparse_dense_matmul(tf.SparseTensor(a_indices,
    a_values, a_shape), b, adjoint_a, adjoint_b)
SparseToDense(sparse_indices, output_shape, sparse_values, default_value, validate_indices=True) = sparse_to_dense(sparse_indices, output_shape,
    sparse_values, default_value)
EditDistance(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape, normalize=True) =
    tf.edit_distance(tf.SparseTensor(hypothesis_indices, hypothesis_values, hypothesis_shape), tf.SparseTensor(truth_indices, truth_values,
    truth_shape), normalize)

ReduceJoin(inputs, reduction_indices, keep_dims=False, separator="") = tf.strings.reduce_join(inputs, axis=reduction_indices, keepdims=keep_dims,
    separator=separator)
StringFormat(inputs, template="%s", placeholder="%s", summarize=3) = tf.strings.format(template, inputs, placeholder, summarize)
StringSplit(input, delimiter, skip_empty=True) -> indices values shape = parts(string_split(input, delimiter, skip_empty))
StringSplitV2(input, sep, maxsplit=-1) -> indices values shape = parts(tf.strings.split(input, sep if sep else None, maxsplit).to_sparse())
UnicodeTranscode(input, input_encoding, output_encoding, errors="replace", replacement_char=65533, replace_control_characters=False) =
    tf.strings.unicode_transcode(input, input_encoding, output_encoding, errors, replacement_char, replace_control_characters)
UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator="") = tf.strings.unsorted_segment_join(inputs, segment_ids, num_segments, separator)
DecodeCSV(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=[]) = tf.io.decode_csv(records, record_defaults,
    field_delim, use_quote_delim, na_value, select_cols or None)
DecodeCompressed(bytes, compression_type="") = tf.io.decode_compressed(bytes, compression_type)
DecodePaddedRaw(input_bytes, fixed_length, out_type, little_endian=True) = tf.io.decode_raw(input_bytes, out_type, little_endian, fixed_length)
PrintV2(input, output_stream="stderr", end="\\n") = tf.print(input, output_stream=output_stream, end=end)

AssignVariableOp(resource, value, validate_shape=False) = nothing(resource.assign(value))
AssignAddVariableOp(resource, value) = nothing(resource.assign_add(value))
AssignSubVariableOp(resource, value) = nothing(resource.assign_sub(value))
ReadVariableOp(resource, dtype) = tf.cast(resource.read_value(), dtype)
ResourceGather(resource, indices, dtype, batch_dims=0, validate_indices=True) = tf.gather(resource, indices, batch_dims=batch_dims)
ResourceScatterAdd(resource, indices, updates) = nothing(resource.scatter_add(tf.IndexedSlices(updates, indices)))
ResourceScatterUpdate(resource, indices, updates) = nothing(resource.scatter_update(tf.IndexedSlices(updates, indices)))
ResourceApplyGradientDescent(var, alpha, delta, use_locking=False) = nothing(var.assign_sub(alpha * delta))
"""
