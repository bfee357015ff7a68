export { openAdvisoryServer } from "./advisory-server.ts";
export type { AdvisoryServer, Served } from "./advisory-server.ts";
export { osvDocument } from "./osv-document.ts";
