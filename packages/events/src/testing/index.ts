export { auditLogContract, outboxContract } from "./contracts.ts";
export type { ContractTest, OutboxSubject } from "./contracts.ts";
export { createMemoryAuditLog, createMemoryOutbox } from "./memory.ts";
