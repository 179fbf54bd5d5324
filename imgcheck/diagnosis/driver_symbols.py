"""Functions of the CUDA driver by the CUDA version that brought them. Data only.

Source: the names `PFN_<function>_v<version>` of cudaTypedefs.h and its neighbours for EGL, GL, VDPAU and profilers, in
the wheel nvidia-cuda-runtime 13.5.37, read 2026-11; the second and later versions of a function are the symbols `_v2`,
`_v3`.
"""

from __future__ import annotations

from typing import Final

_BEFORE: Final = (
    "cuArray3DCreate cuArray3DCreate_v2 cuArray3DGetDescriptor cuArray3DGetDescriptor_v2 cuArrayCreate "
    "cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor cuArrayGetDescriptor_v2 cuCtxAttach cuCtxCreate "
    "cuCtxCreate_v2 cuCtxDestroy cuCtxDestroy_v2 cuCtxDetach cuCtxDisablePeerAccess cuCtxEnablePeerAccess "
    "cuCtxGetApiVersion cuCtxGetCacheConfig cuCtxGetCurrent cuCtxGetDevice cuCtxGetFlags cuCtxGetLimit "
    "cuCtxGetSharedMemConfig cuCtxGetStreamPriorityRange cuCtxPopCurrent cuCtxPopCurrent_v2 cuCtxPushCurrent "
    "cuCtxPushCurrent_v2 cuCtxResetPersistingL2Cache cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetLimit "
    "cuCtxSetSharedMemConfig cuCtxSynchronize cuDestroyExternalMemory cuDestroyExternalSemaphore "
    "cuDeviceCanAccessPeer cuDeviceComputeCapability cuDeviceGet cuDeviceGetAttribute cuDeviceGetByPCIBusId "
    "cuDeviceGetCount cuDeviceGetLuid cuDeviceGetName cuDeviceGetNvSciSyncAttributes cuDeviceGetP2PAttribute "
    "cuDeviceGetPCIBusId cuDeviceGetProperties cuDeviceGetUuid cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease "
    "cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxRetain "
    "cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2 cuDeviceTotalMem cuDeviceTotalMem_v2 cuDriverGetVersion "
    "cuEGLStreamConsumerAcquireFrame cuEGLStreamConsumerConnect cuEGLStreamConsumerConnectWithFlags "
    "cuEGLStreamConsumerDisconnect cuEGLStreamConsumerReleaseFrame cuEGLStreamProducerConnect "
    "cuEGLStreamProducerDisconnect cuEGLStreamProducerPresentFrame cuEGLStreamProducerReturnFrame cuEventCreate "
    "cuEventCreateFromEGLSync cuEventDestroy cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord "
    "cuEventSynchronize cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray cuFuncGetAttribute "
    "cuFuncGetModule cuFuncSetAttribute cuFuncSetBlockShape cuFuncSetCacheConfig cuFuncSetSharedMemConfig "
    "cuFuncSetSharedSize cuGLCtxCreate cuGLCtxCreate_v2 cuGLGetDevices cuGLGetDevices_v2 cuGLInit cuGLMapBufferObject "
    "cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2 cuGLMapBufferObject_v2 cuGLRegisterBufferObject "
    "cuGLSetBufferObjectMapFlags cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync cuGLUnregisterBufferObject "
    "cuGetErrorName cuGetErrorString cuGetExportTable cuGraphAddChildGraphNode cuGraphAddDependencies "
    "cuGraphAddEmptyNode cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddMemcpyNode cuGraphAddMemsetNode "
    "cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphCreate cuGraphDestroy cuGraphDestroyNode cuGraphExecDestroy "
    "cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams cuGraphExecMemcpyNodeSetParams "
    "cuGraphExecMemsetNodeSetParams cuGraphExecUpdate cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes "
    "cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiate cuGraphInstantiate_v2 "
    "cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams "
    "cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams cuGraphLaunch cuGraphMemcpyNodeGetParams "
    "cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams cuGraphNodeFindInClone "
    "cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes cuGraphNodeGetType cuGraphRemoveDependencies "
    "cuGraphicsEGLRegisterImage cuGraphicsGLRegisterBuffer cuGraphicsGLRegisterImage cuGraphicsMapResources "
    "cuGraphicsResourceGetMappedEglFrame cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer "
    "cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2 "
    "cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnregisterResource "
    "cuGraphicsVDPAURegisterOutputSurface cuGraphicsVDPAURegisterVideoSurface cuImportExternalMemory "
    "cuImportExternalSemaphore cuInit cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle "
    "cuIpcOpenMemHandle cuIpcOpenMemHandle_v2 cuLaunch cuLaunchCooperativeKernel cuLaunchCooperativeKernelMultiDevice "
    "cuLaunchGrid cuLaunchGridAsync cuLaunchHostFunc cuLaunchKernel cuLinkAddData cuLinkAddData_v2 cuLinkAddFile "
    "cuLinkAddFile_v2 cuLinkComplete cuLinkCreate cuLinkCreate_v2 cuLinkDestroy cuMemAddressFree cuMemAddressReserve "
    "cuMemAdvise cuMemAlloc cuMemAllocHost cuMemAllocHost_v2 cuMemAllocManaged cuMemAllocPitch cuMemAllocPitch_v2 "
    "cuMemAlloc_v2 cuMemCreate cuMemExportToShareableHandle cuMemFree cuMemFreeHost cuMemFree_v2 cuMemGetAccess "
    "cuMemGetAddressRange cuMemGetAddressRange_v2 cuMemGetAllocationGranularity "
    "cuMemGetAllocationPropertiesFromHandle cuMemGetInfo cuMemGetInfo_v2 cuMemHostAlloc cuMemHostGetDevicePointer "
    "cuMemHostGetDevicePointer_v2 cuMemHostGetFlags cuMemHostRegister cuMemHostRegister_v2 cuMemHostUnregister "
    "cuMemImportFromShareableHandle cuMemMap cuMemPrefetchAsync cuMemRangeGetAttribute cuMemRangeGetAttributes "
    "cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap cuMemcpy cuMemcpy2D cuMemcpy2DAsync "
    "cuMemcpy2DAsync_v2 cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2 cuMemcpy2D_v2 cuMemcpy3D cuMemcpy3DAsync "
    "cuMemcpy3DAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpy3D_v2 cuMemcpyAsync cuMemcpyAtoA cuMemcpyAtoA_v2 "
    "cuMemcpyAtoD cuMemcpyAtoD_v2 cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyDtoA "
    "cuMemcpyDtoA_v2 cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoH "
    "cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2 cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2 "
    "cuMemcpyHtoA_v2 cuMemcpyHtoD cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeer "
    "cuMemcpyPeerAsync cuMemsetD16 cuMemsetD16Async cuMemsetD16_v2 cuMemsetD2D16 cuMemsetD2D16Async cuMemsetD2D16_v2 "
    "cuMemsetD2D32 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8 cuMemsetD2D8Async cuMemsetD2D8_v2 cuMemsetD32 "
    "cuMemsetD32Async cuMemsetD32_v2 cuMemsetD8 cuMemsetD8Async cuMemsetD8_v2 cuMipmappedArrayCreate "
    "cuMipmappedArrayDestroy cuMipmappedArrayGetLevel cuModuleGetFunction cuModuleGetGlobal cuModuleGetGlobal_v2 "
    "cuModuleGetSurfRef cuModuleGetTexRef cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary "
    "cuModuleUnload cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxActiveBlocksPerMultiprocessor "
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuOccupancyMaxPotentialBlockSize "
    "cuOccupancyMaxPotentialBlockSizeWithFlags cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv "
    "cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute cuProfilerInitialize cuProfilerStart "
    "cuProfilerStop cuSignalExternalSemaphoresAsync cuStreamAddCallback cuStreamAttachMemAsync cuStreamBatchMemOp "
    "cuStreamBeginCapture cuStreamBeginCapture_v2 cuStreamCopyAttributes cuStreamCreate cuStreamCreateWithPriority "
    "cuStreamDestroy cuStreamDestroy_v2 cuStreamEndCapture cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCtx "
    "cuStreamGetFlags cuStreamGetPriority cuStreamIsCapturing cuStreamQuery cuStreamSetAttribute cuStreamSynchronize "
    "cuStreamWaitEvent cuStreamWaitValue32 cuStreamWaitValue64 cuStreamWriteValue32 cuStreamWriteValue64 "
    "cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRefGetArray cuSurfRefSetArray "
    "cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc "
    "cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddress cuTexRefGetAddressMode "
    "cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags "
    "cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias "
    "cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress cuTexRefSetAddress2D "
    "cuTexRefSetAddress2D_v2 cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray "
    "cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat cuTexRefSetMaxAnisotropy "
    "cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray "
    "cuThreadExchangeStreamCaptureMode cuVDPAUCtxCreate cuVDPAUCtxCreate_v2 cuVDPAUGetDevice cuWGLGetDevice "
    "cuWaitExternalSemaphoresAsync"
)

_BY_CUDA: Final[dict[str, str]] = {
    "11.1": (
        "cuArrayGetSparseProperties cuDeviceGetTexture1DLinearMaxWidth cuEventRecordWithFlags "
        "cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphEventRecordNodeGetEvent "
        "cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent "
        "cuGraphExecChildGraphNodeSetParams cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent "
        "cuGraphUpload cuMemMapArrayAsync cuMipmappedArrayGetSparseProperties"
    ),
    "11.2": (
        "cuArrayGetPlane cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool "
        "cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode "
        "cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams "
        "cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams "
        "cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuMemAllocAsync "
        "cuMemAllocFromPoolAsync cuMemFreeAsync cuMemPoolCreate cuMemPoolDestroy cuMemPoolExportPointer "
        "cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute cuMemPoolImportFromShareableHandle "
        "cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute cuMemPoolTrimTo"
    ),
    "11.3": (
        "cuFlushGPUDirectRDMAWrites cuGetProcAddress cuGraphDebugDotPrint cuGraphReleaseUserObject "
        "cuGraphRetainUserObject cuStreamGetCaptureInfo_v2 cuStreamUpdateCaptureDependencies cuUserObjectCreate "
        "cuUserObjectRelease cuUserObjectRetain"
    ),
    "11.4": (
        "cuCtxCreate_v3 cuCtxGetExecAffinity cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute "
        "cuDeviceGetUuid_v2 cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute cuGraphAddMemAllocNode "
        "cuGraphAddMemFreeNode cuGraphInstantiateWithFlags cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams"
    ),
    "11.6": (
        "cuArrayGetMemoryRequirements cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuLaunchKernelEx "
        "cuMipmappedArrayGetMemoryRequirements"
    ),
    "11.7": (
        "cuGraphAddBatchMemOpNode cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams "
        "cuGraphExecBatchMemOpNodeSetParams cuMemGetHandleForAddressRange cuModuleGetLoadingMode "
        "cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize cuStreamBatchMemOp_v2 cuStreamWaitValue32_v2 "
        "cuStreamWaitValue64_v2 cuStreamWriteValue32_v2 cuStreamWriteValue64_v2"
    ),
    "12.0": (
        "cuCtxGetId cuGetProcAddress_v2 cuGraphAddKernelNode_v2 cuGraphExecGetFlags cuGraphExecKernelNodeSetParams_v2 "
        "cuGraphExecUpdate_v2 cuGraphInstantiateWithParams cuGraphKernelNodeGetParams_v2 "
        "cuGraphKernelNodeSetParams_v2 cuKernelGetAttribute cuKernelGetFunction cuKernelSetAttribute "
        "cuKernelSetCacheConfig cuLibraryGetGlobal cuLibraryGetKernel cuLibraryGetManaged cuLibraryGetModule "
        "cuLibraryGetUnifiedFunction cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload cuStreamGetId "
        "cuTensorMapEncodeIm2col cuTensorMapEncodeTiled cuTensorMapReplaceAddress"
    ),
    "12.1": (
        "cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpSetAttribute cuCoredumpSetAttributeGlobal "
        "cuCtxSetFlags cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate "
        "cuMulticastGetGranularity cuMulticastUnbind"
    ),
    "12.2": ("cuGraphAddNode cuGraphExecNodeSetParams cuGraphNodeSetParams cuMemAdvise_v2 cuMemPrefetchAsync_v2"),
    "12.3": (
        "cuFuncGetName cuGraphAddDependencies_v2 cuGraphAddNode_v2 cuGraphConditionalHandleCreate cuGraphGetEdges_v2 "
        "cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes_v2 cuGraphRemoveDependencies_v2 cuKernelGetName "
        "cuStreamBeginCaptureToGraph cuStreamGetCaptureInfo_v3 cuStreamUpdateCaptureDependencies_v2"
    ),
    "12.4": (
        "cuCtxFromGreenCtx cuCtxGetDevResource cuDevResourceGenerateDesc cuDevSmResourceSplitByCount "
        "cuDeviceGetDevResource cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification "
        "cuFuncGetParamInfo cuFuncIsLoaded cuFuncLoad cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource "
        "cuGreenCtxRecordEvent cuGreenCtxWaitEvent cuKernelGetParamInfo cuLibraryEnumerateKernels "
        "cuLibraryGetKernelCount cuModuleEnumerateFunctions cuModuleGetFunctionCount cuStreamGetGreenCtx"
    ),
    "12.5": (
        "cuCtxCreate_v4 cuCtxRecordEvent cuCtxWaitEvent cuGreenCtxStreamCreate cuKernelGetLibrary cuStreamGetCtx_v2"
    ),
    "12.6": ("cuMemBatchDecompressAsync"),
    "12.8": (
        "cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState "
        "cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock cuEventElapsedTime_v2 "
        "cuMemcpy3DBatchAsync cuMemcpyBatchAsync cuStreamGetDevice cuTensorMapEncodeIm2colWide"
    ),
    "12.9": (
        "cuGreenCtxGetId cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback "
        "cuLogsUnregisterCallback"
    ),
    "13.0": (
        "cuCtxGetDevice_v2 cuCtxSynchronize_v2 cuDeviceGetHostAtomicCapabilities cuDeviceGetP2PAtomicCapabilities "
        "cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemGetDefaultMemPool cuMemGetMemPool "
        "cuMemPrefetchBatchAsync cuMemSetMemPool cuMemcpy3DBatchAsync_v2 cuMemcpyBatchAsync_v2"
    ),
    "13.1": (
        "cuDevSmResourceSplit cuGraphExecGetId cuGraphGetId cuGraphNodeGetContainingGraph cuGraphNodeGetLocalId "
        "cuGraphNodeGetToolsId cuLaunchHostFunc_v2 cuMulticastBindAddr_v2 cuMulticastBindMem_v2 "
        "cuStreamBeginCaptureToCig cuStreamEndCaptureToCig cuStreamGetDevResource"
    ),
    "13.2": (
        "cuCoredumpDeregisterCompleteCallback cuCoredumpDeregisterStartCallback cuCoredumpRegisterCompleteCallback "
        "cuCoredumpRegisterStartCallback cuFuncGetParamCount cuGraphNodeGetParams cuKernelGetParamCount "
        "cuMemcpy3DWithAttributesAsync cuMemcpyWithAttributesAsync"
    ),
    "13.3": (
        "cuLogicalEndpointAddDevice cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate "
        "cuLogicalEndpointDestroy cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease "
        "cuLogicalEndpointIdReserve cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind "
        "cuStreamBeginRecaptureToGraph"
    ),
    "13.4": (
        "cuCheckpointOperationComplete cuDeviceGetCliqueCount cuDeviceGetCliqueInfo cuDeviceGetFabricClusterUuid "
        "cuGraphAddNode_v3 cuGraphNodeSetParams_v2 cuMemGetLocationInfo"
    ),
    "13.5": ("cuFabricCpyBatchAsync cuTensorMapSetAllocationClass"),
}

BEFORE_11_1: Final = frozenset(_BEFORE.split())
"""Symbols that the driver of any CUDA from 11.0 on has."""

DRIVER_SYMBOLS_BY_CUDA: Final[dict[str, str]] = {
    symbol: cuda for cuda, symbols in _BY_CUDA.items() for symbol in symbols.split()
}
"""Symbol -> the first CUDA version whose driver has it, of those since 11.1."""
