import { test } from "vitest";
import {
  auditLogContract,
  createMemoryAuditLog,
  createMemoryOutbox,
  outboxContract,
} from "./index.ts";

test.each(outboxContract)("outbox in memory: $name", ({ run }) => run(createMemoryOutbox()));
test.each(auditLogContract)("audit log in memory: $name", ({ run }) => run(createMemoryAuditLog()));
