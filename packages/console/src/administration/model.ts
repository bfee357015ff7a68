import type { AccessRules } from "@sealhouse/identity";
import type { NameOrigins, PackageSource, SourceAdministration } from "@sealhouse/upstream-sources";
import type { Protocol } from "@sealhouse/request-types";
import type { Site } from "../kit/page/model.ts";
import type { PageForms } from "../kit/forms/page-forms.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";

/** Lookups that identify administrators and their forms. */
export type AdministratorSources = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly forms: PageForms;
  /** Asks sessions to confirm changes. */
  readonly confirm: AskConfirmation;
};

/** Lookups of the pages of administrators. */
export type AdministrationSources = AdministratorSources & {
  readonly sources: SourceAdministration;
  readonly names: Pick<NameOrigins, "find" | "reserve" | "release">;
  /** Counts the names that were mirrored from a source, and their versions (images: tags) here. */
  readonly mirroredFrom: (source: {
    readonly protocol: Protocol;
    readonly source: string;
  }) => Promise<{ readonly names: number; readonly versions: number }>;
  /** Values of new sources that the form leaves open. */
  readonly fallbacks: Pick<PackageSource, "strategy" | "signaturePolicy">;
  /** `Mirror__Enabled`. */
  readonly isMirrorEnabled: boolean;
};
