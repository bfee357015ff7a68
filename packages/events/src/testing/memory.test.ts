import { test } from "vitest";
import {
  auditLogContract,
  createMemoryAuditLog,
  createMemoryOutbox,
  createMemoryParked,
  outboxContract,
  parkedContract,
} from "./index.ts";

test.each(outboxContract)("outbox in memory: $name", ({ run }) => run(createMemoryOutbox()));
test.each(parkedContract)("parked in memory: $name", ({ run }) => run(createMemoryParked()));
test.each(auditLogContract)("audit log in memory: $name", ({ run }) => run(createMemoryAuditLog()));
