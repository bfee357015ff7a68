export { ACCESS_KEY, hasRadosgw, ROLE_ARN, SECRET_KEY, startRadosgw } from "./radosgw.ts";
export type { Radosgw } from "./radosgw.ts";
export { openStore } from "./s3-store.ts";
export { startInstanceMetadata } from "./instance-stand-in.ts";
export type { InstanceStandIn } from "./instance-stand-in.ts";
