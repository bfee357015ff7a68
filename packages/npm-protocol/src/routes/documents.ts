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
import type { NpmPorts } from "../ports.ts";
import type { RequestPath } from "../request-path.ts";
import type { StaleAnswer } from "../upstream/ports.ts";
import type { Call, NpmSettings } from "./call.ts";
import { authorizeCall, notFound } from "./call.ts";

/** A packument, one version of it, or its dist-tags. Undefined for paths of anything else. */
export async function readDocument(call: Call, path: RequestPath): Promise<Response | undefined> {
  const { c, ports, settings } = call;
  const { base, cacheable } = ports.address(c.req.raw, c.env);
  const address = documentOfPath(path, c.req.header("accept"), base);
  if (!address) return undefined;
  await authorizeCall(call, { action: "read", name: address.name });
  const stale = await ports.upstream.revise(address.name);

  const isForChange = isWriteRead(c.req.url);
  const isChange = isForChange && (await mayChange(call, address.name));
  const isStored = cacheable && !isChange;
  const render = () => renderForm(ports, address, { base, isChange });
  const document = isStored
    ? await documentOf(ports.documents, { ...address, now: settings.now }, render)
    : await renderOnce(render, address.contentType);
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

async function renderForm(
  { lookup }: Pick<NpmPorts, "lookup">,
  { name, form, specifier: versionOrTag = "" }: DocumentAddress,
  { base, isChange }: Rendering,
): Promise<string | undefined> {
  const npmPackage = await lookup.find(name);
  if (!npmPackage) return undefined;
  const shown = isChange ? npmPackage : installablePackage(npmPackage);
  switch (form) {
    case "full":
      return renderPackument(shown, base);
    case "abbreviated":
      return renderAbbreviatedPackument(shown, base);
    case "tags":
      // Clients compare these before they change a tag, so they are the stored ones.
      return renderDistTags(npmPackage);
    case "version":
      return renderVersion(shown, versionOrTag, base);
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
