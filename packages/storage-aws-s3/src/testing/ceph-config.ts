/** Values of a configuration of Ceph. */
export type CephConfigOptions = {
  readonly folder: string;
  readonly id: string;
  /** Ports of the gateway and of both protocols of the monitor. */
  readonly gateway: number;
  readonly monitor: number;
  readonly oldMonitor: number;
};

const MEMORY_BYTES = 6 * 1024 * 1024 * 1024;

/** Returns the text of `ceph.conf`: one monitor, one OSD that keeps its objects in memory. */
export function cephConfig(options: CephConfigOptions): string {
  const { folder, id, gateway, monitor, oldMonitor } = options;
  return `[global]
fsid = ${id}
mon host = [v2:127.0.0.1:${monitor},v1:127.0.0.1:${oldMonitor}]
mon initial members = a
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 0
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
pid file = ${folder}/$name.pid
keyring = ${folder}/keyring
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${MEMORY_BYTES}
osd memory target = 939524096
mgr data = ${folder}/mgr
rgw data = ${folder}/rgw
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw thread pool size = 64
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw s3 auth use sts = true
rgw sts key = abcdefghijklmnop
`;
}
