import type { Context } from "hono";
import { Hono } from "hono";
import { missingPageResponse } from "../kit/refusals/missing-page.ts";
import type { Site } from "../kit/page/model.ts";
import { isRefusal, refusalPageResponse } from "../kit/refusals/refusal-page.ts";
import type { From, Shown } from "../kit/page/shown-page.ts";
import { shownPage } from "../kit/page/shown-page.ts";
import type { PageForms } from "../kit/forms/page-forms.ts";
import { PROOF_FIELD } from "../kit/forms/page-forms.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";
import { readForm } from "../kit/forms/posted-form.ts";
import { withStepUp } from "../kit/forms/step-up.ts";
import { deletionOutcomeResponse, deletionPageResponse } from "./deletion-page.ts";
import type { ImageNamed } from "../kit/links/image-address.ts";
import { formatImage, parseImagePath, repositoryPath } from "../kit/links/image-address.ts";
import { IMAGE_PAGES } from "../kit/page/page-paths.ts";
import { imagePageResponse } from "./image-page.ts";
import { parseRepositoriesQuery, parseTagsQuery } from "./image-query.ts";
import type {
  DeletionAnswer,
  DeletionPreviewAnswer,
  ImageAnswer,
  RepositoriesAnswer,
  RepositoriesQuery,
  RepositoryAnswer,
  TagsQuery,
} from "./model.ts";
import { repositoriesPageResponse } from "./repositories-page.ts";
import { repositoryPageResponse } from "./repository-page.ts";

/**
 * Lookups of the image pages. Each method authorizes the request itself. Names are the
 * unvalidated text of the URL path.
 */
export type ImagesPorts = {
  readonly site: (request: Request, env: unknown) => Site;
  /** Whether a page of another site sent a form. */
  readonly isFromElsewhere: PageForms["isFromElsewhere"];
  /** Asks a session to confirm a deletion. */
  readonly confirm: AskConfirmation;
  readonly repositories: (from: From, query: RepositoriesQuery) => Promise<RepositoriesAnswer>;
  readonly repository: (from: From, name: string, query: TagsQuery) => Promise<RepositoryAnswer>;
  readonly image: (from: From, namedImage: Required<ImageNamed>) => Promise<ImageAnswer>;
  /** Returns a preview of the deletion when the caller may delete the image. */
  readonly previewDeletion: (
    from: From,
    doomedImage: Required<ImageNamed>,
  ) => Promise<DeletionPreviewAnswer>;
  /**
   * Deletes the image of the preview whose code `readProof` returns; codes are bound to the caller.
   * The code is in the body, which is read only for a caller who may delete the image.
   */
  readonly remove: (
    from: From,
    removedImage: Required<ImageNamed>,
    readProof: () => Promise<string | undefined>,
  ) => Promise<DeletionAnswer>;
};

/** Longer than any form of these pages. */
const FORM_BYTES_MAX = 4_096;

/** The pages of container images: repositories, tags, manifests, and deletion. */
export function createImagesApp(ports: ImagesPorts): Hono {
  const app = new Hono();
  app.get(IMAGE_PAGES, (c) =>
    shownPage(ports, c, async ({ site, address, from }) => {
      const query = parseRepositoriesQuery(new URL(c.req.url).searchParams);
      const answer = await ports.repositories(from, query);
      if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
      return repositoriesPageResponse(site, address, { query, answer });
    }),
  );
  app.get(`${IMAGE_PAGES}/*`, (c) => {
    const target = namedIn(c);
    if (!target) return c.notFound();
    return shownPage(ports, c, (shown) => {
      const { repository, reference, isDeletion } = target;
      if (reference === undefined) return answerRepository(ports, shown, repository);
      const image = { repository, reference };
      return isDeletion ? answerDoomed(ports, shown, image) : answerImage(ports, shown, image);
    });
  });
  app.post(`${IMAGE_PAGES}/*`, (c) => {
    const { repository, reference, isDeletion = false } = namedIn(c) ?? {};
    if (repository === undefined || reference === undefined || !isDeletion) return c.notFound();
    let form: Promise<URLSearchParams | undefined> | undefined;
    const read = () => (form ??= readForm(c, FORM_BYTES_MAX));
    return shownPage(ports, c, (shown) =>
      answerRemoval(ports, shown, { image: { repository, reference }, read }),
    );
  });
  return app;
}

function namedIn(c: Context) {
  return parseImagePath(new URL(c.req.url).pathname.slice(IMAGE_PAGES.length + 1));
}

async function answerRepository(ports: ImagesPorts, shown: Shown, name: string): Promise<Response> {
  const { site, address, from } = shown;
  const query = parseTagsQuery(new URL(from.request.url).searchParams);
  const answer = await ports.repository(from, name, query);
  if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
  if (answer.status === "absent") return missing(shown, name, answer.near);
  return repositoryPageResponse(site, address, { query, page: answer.page });
}

type ImageReference = Required<ImageNamed>;

async function answerImage(
  ports: ImagesPorts,
  shown: Shown,
  image: ImageReference,
): Promise<Response> {
  const { site, address, from } = shown;
  const answer = await ports.image(from, image);
  if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
  if (answer.status === "absent") return missingImage(shown, image, answer.near);
  return imagePageResponse(site, address, answer.page);
}

async function answerDoomed(
  ports: ImagesPorts,
  shown: Shown,
  image: ImageReference,
): Promise<Response> {
  const { site, address, from } = shown;
  const answer = await ports.previewDeletion(from, image);
  if (isRefusal(answer)) return refusalPageResponse(site, address, answer);
  if (answer.status === "absent") return missingImage(shown, image, answer.near);
  return deletionPageResponse(site, address, answer.preview);
}

async function answerRemoval(
  ports: ImagesPorts,
  shown: Shown,
  { image, read }: { readonly image: ImageReference; readonly read: ReadFields },
): Promise<Response> {
  const { site, address, from } = shown;
  const readProof = async () => (await read())?.get(PROOF_FIELD) ?? undefined;
  const again = () => ports.remove(from, image, readProof);
  const first: DeletionAnswer = ports.isFromElsewhere(from, address)
    ? { status: "stale" }
    : await again();
  const values = first.status === "step-up" ? await read() : undefined;
  const wanted = {
    action: "delete-permanently",
    subject: formatImage(image.repository, image.reference),
    backPath: new URL(from.request.url).pathname,
    values: values ?? new URLSearchParams(),
  } as const;
  const outcome = await withStepUp(shown, { wanted, confirm: ports.confirm }, { first, again });
  if (outcome instanceof Response) return outcome;
  if (isRefusal(outcome)) return refusalPageResponse(site, address, outcome);
  if (outcome.status === "absent") return missingImage(shown, image, outcome.near);
  return deletionOutcomeResponse(site, address, { ...image, outcome });
}

type ReadFields = () => Promise<URLSearchParams | undefined>;

function missingImage(
  shown: Shown,
  { repository, reference }: ImageReference,
  near: readonly string[],
): Promise<Response> {
  return missing(shown, formatImage(repository, reference), near);
}

function missing(
  { site, address }: Shown,
  name: string,
  near: readonly string[],
): Promise<Response> {
  const pathOf = (nearName: string) => repositoryPath(address, nearName);
  return missingPageResponse(site, address, { name, near, pathOf, of: "oci" });
}
