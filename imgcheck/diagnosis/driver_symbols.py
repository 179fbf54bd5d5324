"""Functions of the CUDA driver by the CUDA version that brought them. Data only.

Source: the names `PFN_<function>_v<version>` of cudaTypedefs.h in the CUDA 13.0 toolkit, read 2026-11; the second and
later versions of a function are the symbols `_v2`, `_v3`. What came before CUDA 11.1, or is not listed, is not judged.
"""

from __future__ import annotations

from typing import Final

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
        "cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute "
        "cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute "
        "cuMemPoolTrimTo"
    ),
    "11.3": (
        "cuFlushGPUDirectRDMAWrites cuGetProcAddress cuGraphDebugDotPrint cuGraphReleaseUserObject "
        "cuGraphRetainUserObject cuStreamGetCaptureInfo_v2 cuStreamUpdateCaptureDependencies cuUserObjectCreate "
        "cuUserObjectRelease cuUserObjectRetain"
    ),
    "11.4": (
        "cuCtxCreate_v3 cuCtxGetExecAffinity cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute "
        "cuDeviceGetUuid_v2 cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute cuGraphAddMemAllocNode "
        "cuGraphAddMemFreeNode cuGraphInstantiateWithFlags cuGraphMemAllocNodeGetParams "
        "cuGraphMemFreeNodeGetParams"
    ),
    "11.6": (
        "cuArrayGetMemoryRequirements cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuLaunchKernelEx "
        "cuMipmappedArrayGetMemoryRequirements"
    ),
    "11.7": (
        "cuGraphAddBatchMemOpNode cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams "
        "cuGraphExecBatchMemOpNodeSetParams cuMemGetHandleForAddressRange cuModuleGetLoadingMode "
        "cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize cuStreamBatchMemOp_v2 "
        "cuStreamWaitValue32_v2 cuStreamWaitValue64_v2 cuStreamWriteValue32_v2 cuStreamWriteValue64_v2"
    ),
    "12.0": (
        "cuCtxGetId cuGetProcAddress_v2 cuGraphAddKernelNode_v2 cuGraphExecGetFlags "
        "cuGraphExecKernelNodeSetParams_v2 cuGraphExecUpdate_v2 cuGraphInstantiateWithParams "
        "cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetParams_v2 cuKernelGetAttribute cuKernelGetFunction "
        "cuKernelSetAttribute cuKernelSetCacheConfig cuLibraryGetGlobal cuLibraryGetKernel cuLibraryGetManaged "
        "cuLibraryGetModule cuLibraryGetUnifiedFunction cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload "
        "cuStreamGetId cuTensorMapEncodeIm2col cuTensorMapEncodeTiled cuTensorMapReplaceAddress"
    ),
    "12.1": (
        "cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpSetAttribute cuCoredumpSetAttributeGlobal "
        "cuCtxSetFlags cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate "
        "cuMulticastGetGranularity cuMulticastUnbind"
    ),
    "12.2": ("cuGraphAddNode cuGraphExecNodeSetParams cuGraphNodeSetParams cuMemAdvise_v2 cuMemPrefetchAsync_v2"),
    "12.3": (
        "cuFuncGetName cuGraphAddDependencies_v2 cuGraphAddNode_v2 cuGraphConditionalHandleCreate "
        "cuGraphGetEdges_v2 cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes_v2 "
        "cuGraphRemoveDependencies_v2 cuKernelGetName cuStreamBeginCaptureToGraph cuStreamGetCaptureInfo_v3 "
        "cuStreamUpdateCaptureDependencies_v2"
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
}

DRIVER_SYMBOLS_BY_CUDA: Final[dict[str, str]] = {
    symbol: cuda for cuda, symbols in _BY_CUDA.items() for symbol in symbols.split()
}
"""Symbol -> the first CUDA version whose driver has it."""
