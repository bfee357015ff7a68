import type { Action, AdministrationParts } from "@sealhouse/administration";
import type { JobRunner } from "@sealhouse/administration/api";
import type { RegistrySources } from "@sealhouse/console";
import type { Access } from "../access/access.ts";
import type { Content } from "../content/content.ts";
import type { Mirrored } from "../content/mirrored.ts";
import type { Core } from "../core.ts";

/** The parts that actions use, and the jobs of long ones: for the API and for pages. */
export type Administration = {
  readonly parts: AdministrationParts;
  readonly runner: JobRunner;
  load(): Promise<readonly Action[]>;
};

/** The part of the core that pages use. */
export type PagesCore = Pick<Core, "config"> & {
  readonly unavailable?: Core["unavailable"] | undefined;
  /** Undefined: no page of the actions of administrators. */
  readonly actions?: Administration | undefined;
  /** Undefined: no overview and no audit log. */
  readonly overview?: Omit<NonNullable<RegistrySources["overview"]>, "forms"> | undefined;
  readonly resources: Pick<Core["resources"], "database" | "keyRing"> & {
    readonly blobs: Core["resources"]["blobs"];
    readonly signing: Pick<Core["resources"]["signing"], "isEnabled">;
  };
  readonly access: Pick<Access, "pepper" | "rules" | "failures" | "signIn">;
  readonly content: Pick<Content, "verifyBundle"> & {
    readonly mirror: Pick<Content["mirror"], "enabled" | "refreshSources">;
    readonly mirrored: Pick<Mirrored, "refreshRules"> & {
      readonly npm: Pick<Mirrored["npm"], "refused">;
      readonly nuget: Pick<Mirrored["nuget"], "refused">;
      readonly images: Pick<Mirrored["images"], "withheld">;
    };
  };
};
