export { createConsoleApp } from "./console-app.ts";
export type { ConsolePorts } from "./console-app.ts";
export { guideFor } from "./client-lines.ts";
export type { Guide, Step } from "./client-lines.ts";
export type {
  FrontPageModel,
  LatestPackage,
  Protocol,
  SigningCertificate,
  SigningState,
} from "./model.ts";
export { notFoundResponse, wantsPage } from "./not-found-page.ts";
export { parsePublicAddress } from "./public-address.ts";
export type { PublicAddress } from "./public-address.ts";
