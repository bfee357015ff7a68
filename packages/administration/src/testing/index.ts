export { memoryAnswers, memoryJobs, memoryRules } from "./memory-ports.ts";
export { apiPortsContract } from "./ports-contract.ts";
export type { ApiPorts } from "./ports-contract.ts";
