"""Reports on tables that few captures have, against what nsys 2023.4.4 printed for the same files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import rare
from tests.support.export import Export
from tui.analysis.stats import REPORTS, choose
from tui.cli import main

HOST_MARKERS = """\
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
52.2,996,1,996.0,996.0,996,996,0.0,loading
28.5,544,2,272.0,272.0,197,347,106.1,frame
9.1,174,2,87.0,87.0,77,97,14.1,shadow
5.1,97,1,97.0,97.0,97,97,0.0,a tie
5.1,97,1,97.0,97.0,97,97,0.0,tie b
"""
"""Of the three APIs alike: the same ranges are put into the table of each."""
GPU_MARKERS = """\
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
55.0,55,2,27.5,27.5,20,35,10.6,frame
18.0,18,2,9.0,9.0,8,10,1.4,shadow
10.0,10,1,10.0,10.0,10,10,0.0,a tie
10.0,10,1,10.0,10.0,10,10,0.0,tie b
7.0,7,1,7.0,7.0,7,7,0.0,batch
"""

PRINTED: dict[Callable[[Path], Export], dict[str, str]] = {
    rare.graphics: {
        "opengl_khr_range_sum": """\
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
64.6,320,1,320.0,320.0,320,320,0.0,open
27.1,134,3,44.7,35.0,20,79,30.7,frame
3.6,18,2,9.0,9.0,8,10,1.4,shadow
2.0,10,1,10.0,10.0,10,10,0.0,a tie
2.0,10,1,10.0,10.0,10,10,0.0,tie b
0.6,3,1,3.0,3.0,3,3,0.0,
""",
        "opengl_khr_gpu_range_sum": """\
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Range
64.5,320,1,320.0,320.0,320,320,0.0,open
27.2,135,3,45.0,35.0,20,80,31.2,frame
3.6,18,2,9.0,9.0,8,10,1.4,shadow
2.0,10,1,10.0,10.0,10,10,0.0,a tie
2.0,10,1,10.0,10.0,10,10,0.0,tie b
0.6,3,1,3.0,3.0,3,3,0.0,
""",
        "vulkan_api_sum": """\
Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.8,25,2,12.5,12.5,5,20,10.6,vkQueueSubmit
21.2,7,2,3.5,3.5,0,7,4.9,vkCreateImage
3.0,1,1,1.0,1.0,1,1,0.0,vkX
""",
        "vulkan_api_trace": """\
Start (ns),Duration (ns),Name,Event Class,Context,CorrID,Pid,Tid,T-Pri,Thread Name
9,0,vkCreateImage,53,,,500,502,,
10,20,vkQueueSubmit,53,3,900,500,501,10,render
40,7,vkCreateImage,53,3,901,500,501,10,render
50,5,vkQueueSubmit,53,3,902,500,501,10,render
60,1,vkX_v1000,53,3,903,500,501,10,render
70,29,created,60,4,5,500,501,10,render
""",
        "vulkan_marker_sum": HOST_MARKERS,
        "vulkan_gpu_marker_sum": GPU_MARKERS,
        "dx11_pix_sum": HOST_MARKERS,
        "dx12_pix_sum": HOST_MARKERS,
        "dx12_gpu_marker_sum": GPU_MARKERS,
        "nvvideo_api_sum": """\
Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Event Type,Name
55.2,200,1,200.0,200.0,200,200,0.0,JPEG,decode
7.5,27,2,13.5,13.5,7,20,9.2,Encoder,open
7.5,27,1,27.0,27.0,27,27,0.0,Encoder,close
7.5,27,2,13.5,13.5,7,20,9.2,Decoder,open
7.5,27,1,27.0,27.0,27,27,0.0,Decoder,close
7.5,27,2,13.5,13.5,7,20,9.2,JPEG,open
7.5,27,1,27.0,27.0,27,27,0.0,JPEG,close
0.0,0,1,0.0,0.0,0,0,0.0,Encoder,none
0.0,0,1,0.0,0.0,0,0,0.0,Decoder,none
0.0,0,1,0.0,0.0,0,0,0.0,JPEG,none
""",
    },
    rare.unified: {
        "um_sum": """\
Virtual Address,HtoD Migration size (MB),DtoH Migration size (MB),CPU Page Faults, GPU Page Faults,\
Migration Throughput (MB/s)
0x7F0000200000,2.000,,,,2000000.000
0x7F0000000000,0.197,0.066,3,15,524288.000
0x7F0000400000,,0.004,,,12800.000
0x7F0000A00000,0.001,,1,,10000.000
0x7F0000800000,,0.001,,3,10000.000
0x7F0000600000,0.001,,,,10000.000
0x7F0001000000,,,2,,
0x7F0001200000,,,1,1,
0x7F0001400000,,,,8,
0x7F0001600000,,,,2,
""",
        "um_sum:rows=3": """\
Virtual Address,HtoD Migration size (MB),DtoH Migration size (MB),CPU Page Faults, GPU Page Faults,\
Migration Throughput (MB/s)
0x7F0000200000,2.000,,,,2000000.000
0x7F0000000000,0.197,0.066,3,15,524288.000
0x7F0000400000,,0.004,,,12800.000
""",
        "um_cpu_page_faults_sum": """\
CPU Page Faults,CPU Instruction Address
3,touch
3,sum
1,main
""",
        "um_total_sum": """\
Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,\
Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address
2.199,0.071,7,29,0x7F0000000000,0x7F0001600000
""",
    },
    rare.mpi: {
        "mpi_event_trace": """\
Start (ns),End (ns),Duration (ns),Event,Pid,Tid,Tag,Rank,PeerRank,RootRank,Size (MB),\
CollSendSize (MB),CollRecvSize (MB)
5,9,4,MPI_Init,700,701,,0,,,,,
100,150,50,MPI_Send,700,701,7,0,1,,1.235,,
100,160,60,MPI_Recv,800,801,7,1,0,,0.001,,
200,260,60,MPI_Sendrecv,700,701,1,0,1,,0.004,,
200,260,60,MPI_Sendrecv,700,701,2,0,3,,0.008,,
300,,,MPI_Irecv,700,701,-1,0,-2,,0.000,,
400,401,1,MPI_Wait,800,801,,1,,,,,
400,400,0,MPI_Comm_rank,800,805,,,,,,,
400,450,50,MPI_Bcast,700,701,,0,,2,,0.001,
400,440,40,MPI_Allgather,800,801,,1,,,,1.000,2.000
"""
    },
    rare.network: {
        "network_congestion": """\
Start (ns),End (ns),Duration (ns),Send wait rate (ticks/ms),GUID,Device name
900,1400,500,10002,7777,
1000,1500,500,20001,c42a10300aabbcc,ConnectX-6
1000,1500,500,21001,c42a10300aabbcc,ConnectX-6
1000,1500,500,99999,fffffffffffffffd,ConnectX-7
1000,1500,500,30001,7777,
51000,51500,500,10001,fffffffffffffffd,ConnectX-7
""",
        "network_congestion:ticks_threshold=20001": """\
Start (ns),End (ns),Duration (ns),Send wait rate (ticks/ms),GUID,Device name
1000,1500,500,21001,c42a10300aabbcc,ConnectX-6
1000,1500,500,99999,fffffffffffffffd,ConnectX-7
1000,1500,500,30001,7777,
""",
    },
    rare.wddm: {
        "wddm_queue_sum": """\
Utilization (%),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name,Q Type,Q Name,PID,\
GPU ID,Context,Engine,Node Ord
71.4,3,1000.0,1000.0,500,1500,500.0,3D,0,queue,500,0,0xA,1,0
22.9,1,800.0,800.0,800,800,0.0,3D,1,dma,500,0,0xA,1,0
12.8,2,600.0,600.0,300,900,424.3,Mine,0,queue,600,0,0x1E,0,4
5.7,1,200.0,200.0,200,200,0.0,Copy,0,queue,500,0,0x14,6,3
5.7,1,200.0,200.0,200,200,0.0,Copy,1,dma,500,0,0x14,6,3
3.2,1,300.0,300.0,300,300,0.0,,1,dma,600,0,0x1E,9,4
2.9,1,100.0,100.0,100,100,0.0,Video Decode,0,queue,500,0,0x14,2,3
2.9,1,100.0,100.0,100,100,0.0,Copy,0,queue,500,1,0x14,6,3
"""
    },
}
CASES = [(make, name) for make, reports in PRINTED.items() for name in reports]


def csv_of(path: Path, name: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What ``stats`` prints."""
    assert main(["stats", str(path), "-r", name, "-f", "csv", "--raw", "--no-cache", *options]) == 0
    return capsys.readouterr().out.replace("\r\n", "\n")


@pytest.mark.parametrize(("make", "name"), CASES, ids=[name for _, name in CASES])
def test_every_cell_is_that_of_nsys(
    make: Callable[[Path], Export], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / "rare.sqlite").write()
    assert csv_of(path, name, capsys) == PRINTED[make][name]


def test_every_address_is_listed_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rare.unified(tmp_path / "rare.sqlite").write()
    assert csv_of(path, "um_sum:rows=-1", capsys) == PRINTED[rare.unified]["um_sum"]
    assert len(csv_of(path, "um_sum:rows=9", capsys).splitlines()) == 10


OLDER_NAMES = {
    "dx11pixsum": "dx11_pix_sum",
    "dx12gpumarkersum": "dx12_gpu_marker_sum",
    "dx12pixsum": "dx12_pix_sum",
    "nvtxsssum": "nvtx_startend_sum",
    "khrdebuggpusum": "opengl_khr_gpu_range_sum",
    "khrdebugsum": "opengl_khr_range_sum",
    "umcpupagefaults": "um_cpu_page_faults_sum",
    "unifiedmemory": "um_sum",
    "unifiedmemorytotals": "um_total_sum",
    "vulkanapisum": "vulkan_api_sum",
    "vulkanapitrace": "vulkan_api_trace",
    "vulkangpumarkersum": "vulkan_gpu_marker_sum",
    "vulkanmarkerssum": "vulkan_marker_sum",
    "wddmqueuesdetails": "wddm_queue_sum",
}


@pytest.mark.parametrize(("old", "new"), OLDER_NAMES.items())
def test_older_names(old: str, new: str) -> None:
    assert choose(old).report is REPORTS[new]
