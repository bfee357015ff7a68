export { currentFence } from "./fence.ts";
export type { Fence } from "./fence.ts";
export { LostLeaseError } from "./leases.ts";
export type { Leases } from "./leases.ts";
export { runLeased } from "./run-leased.ts";
export type { LeasedOutcome, LeaseOptions } from "./run-leased.ts";
export { openSchedule } from "./schedule.ts";
export type { Job, JobFailure } from "./schedule.ts";
