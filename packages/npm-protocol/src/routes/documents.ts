import type { DocumentOptions, StoredDocument } from "@sealhouse/http-responses";
import { documentOf, renderDocument, sendDocument } from "@sealhouse/http-responses";
import type { DocumentAddress } from "../documents/document-address.ts";
import { documentOfPath, isWriteRead } from "../documents/document-address.ts";
import { installablePackage } from "../documents/installable-package.ts";
import {
  renderAbbreviatedPackument,
  renderDistTags,
  renderPackument,
  renderVersion,
} from "../documents/packument.ts";
import { NpmError } from "../errors.ts";
import type { NpmPackage, NpmPorts } from "../ports.ts";
import type { RequestPath } from "../request-path.ts";
import type { NameState, StaleAnswer } from "../upstream/ports.ts";
import { allowedPackage, variantKey, variantOf } from "../withheld/allowed-package.ts";
import type { Call, NpmSettings } from "./call.ts";
import { authorizeRead, notFound } from "./call.ts";

/** A packument, one version of it, or its dist-tags. Undefined for paths of anything else. */
export async function readDocument(call: Call, path: RequestPath): Promise<Response | undefined> {
  const { c, ports } = call;
  const { base, cacheable } = ports.address(c.req.raw, c.env);
  const address = documentOfPath(path, c.req.header("accept"), base);
  if (!address) return undefined;
  const { settings } = await authorizeRead(call, address.name);
  const { stale, variant }: NameState = (await ports.upstream.revise(address.name)) ?? {};

  const isForChange = isWriteRead(c.req.url);
  const isChange = isForChange && (await mayChange(call, address.name));
  const isStored = cacheable && !isChange && !call.hidden.has(address.name);
  const render = async () => (await renderForm(ports, address, { base, isChange }))?.text;
  const renderVariant = async () => {
    const rendered = await renderForm(ports, address, { base, isChange });
    return rendered?.variant === variant ? rendered?.text : undefined;
  };
  const key = variantKey(address.key, variant);
  const stored = isStored
    ? await documentOf(ports.documents, { ...address, key, now: settings.now }, renderVariant)
    : undefined;
  // A document of a variant that has just changed is not stored.
  const document = stored ?? (await renderOnce(render, address.contentType));
  if (!document) throw missingDocument(address, settings.anonymousRead);
  const options = stale
    ? staleOptions(stale, settings)
    : documentOptions(settings.anonymousRead, address.form);
  return sendDocument(
    c,
    document,
    isForChange ? { ...options, cacheControl: "no-store" } : options,
  );
}

/** Only a caller who may change the package can cause a rendering for a single answer. */
async function mayChange({ c, ports }: Call, name: string): Promise<boolean> {
  for (const action of ["publish", "delete"] as const) {
    const verdict = await ports.authorize(c.req.raw, c.env, { action, name });
    if (verdict.status === "granted") return true;
  }
  return false;
}

/** Headers of a sent document, for a host that answers from the document store itself. */
export function documentOptions(
  anonymousRead: boolean,
  form: DocumentAddress["form"] = "full",
): DocumentOptions {
  // npm looks at the tags before it changes them; where it sees old ones it refuses.
  const age = anonymousRead ? "max-age=300" : "max-age=60";
  return {
    cacheControl: `${anonymousRead ? "public" : "private"}, ${form === "tags" ? "no-cache" : age}`,
    vary: anonymousRead ? "Accept" : "Accept, Authorization",
  };
}

/** Headers of a document that its source may have changed by now. */
function staleOptions(
  { source, since }: StaleAnswer,
  { anonymousRead }: Pick<NpmSettings, "anonymousRead">,
): DocumentOptions {
  return {
    ...documentOptions(anonymousRead),
    cacheControl: "no-cache",
    headers: {
      warning: '110 - "Response is Stale"',
      "x-sealhouse-stale": `${source}; since=${since.toISOString()}`,
    },
  };
}

type Rendering = {
  readonly base: string;
  /** For a caller who may change the package: includes damaged versions, which the caller may
   * deprecate and unpublish. */
  readonly isChange: boolean;
};

type RenderedForm = { readonly text: string; readonly variant: string | undefined };

async function renderForm(
  { lookup }: Pick<NpmPorts, "lookup">,
  address: DocumentAddress,
  rendering: Rendering,
): Promise<RenderedForm | undefined> {
  const npmPackage = await lookup.find(address.name);
  const text = npmPackage && textOf(npmPackage, address, rendering);
  return text === undefined ? undefined : { text, variant: variantOf(npmPackage ?? {}) };
}

function textOf(
  npmPackage: NpmPackage,
  { form, specifier: versionOrTag = "" }: DocumentAddress,
  { base, isChange }: Rendering,
): string | undefined {
  const shown = isChange ? npmPackage : allowedPackage(installablePackage(npmPackage));
  switch (form) {
    case "full":
      return renderPackument(shown, base);
    case "abbreviated":
      return renderAbbreviatedPackument(shown, base);
    case "tags":
      // Clients compare these before they change a tag, so they are the stored ones.
      return renderDistTags(npmPackage.withheld && !isChange ? shown : npmPackage);
    case "version": {
      const withheld = shown.withheld?.find(({ version }) => version === versionOrTag);
      if (withheld && !isChange) throw new NpmError("forbidden", withheld.text);
      return renderVersion(shown, versionOrTag, base);
    }
  }
}

async function renderOnce(
  render: () => Promise<string | undefined>,
  contentType: string,
): Promise<StoredDocument | undefined> {
  const content = await render();
  return content === undefined ? undefined : renderDocument(content, { contentType });
}

/** Package managers ask for themselves with every command, to learn of newer versions. */
const ASKED_FOR_ALWAYS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

/** The answer where there is no such document. */
export function missingDocument(
  { name, form, specifier: versionOrTag }: Pick<DocumentAddress, "name" | "form" | "specifier">,
  anonymousRead: boolean,
): NpmError {
  if (form === "version") return notFound(`version not found: ${versionOrTag}`);
  if (!ASKED_FOR_ALWAYS.has(name)) return notFound();
  const { cacheControl, vary = "" } = documentOptions(anonymousRead, form);
  const headers = { "cache-control": cacheControl, vary };
  return new NpmError("not-found", "Not found", { headers });
}
