import type { Administration } from "../administration.ts";
import type { Access } from "../access/access.ts";
import type { Content } from "../content/content.ts";
import type { Mirrored } from "../content/mirrored.ts";
import type { Core } from "../core.ts";

/** The part of the core that pages use. */
export type PagesCore = Pick<Core, "config"> & {
  readonly unavailable?: Core["unavailable"] | undefined;
  /** Undefined: no page of the actions of administrators. */
  readonly actions?: Administration | undefined;
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
