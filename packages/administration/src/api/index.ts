export { API_PATH, createAdministrationApi } from "./api-app.ts";
export type { AdministrationApiOptions } from "./api-app.ts";
export { createJobRunner } from "./jobs.ts";
export type { JobRunner, JobRunnerOptions } from "./jobs.ts";
export { openApiDocument } from "./open-api.ts";
export { PROBLEM_TYPE } from "./problem.ts";
export { loadActions } from "../groups.ts";
