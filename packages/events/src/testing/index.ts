export { auditLogContract, outboxContract, parkedContract } from "./contracts.ts";
export type { ContractTest, OutboxSubject } from "./contracts.ts";
export { createMemoryAuditLog, createMemoryOutbox } from "./memory.ts";
export { createMemoryParked } from "./memory-parked.ts";
