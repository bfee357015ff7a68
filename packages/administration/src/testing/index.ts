export { createMemoryLeases } from "@sealhouse/jobs/testing";
export { memoryAnswers, memoryJobs, memoryRules } from "./memory-ports.ts";
export { apiPortsContract } from "./ports-contract.ts";
export type { ApiPorts } from "./ports-contract.ts";
export { JOB_ACTIONS } from "../jobs/job-actions.ts";
export { RULE_ACTIONS } from "../rules/rule-actions.ts";
