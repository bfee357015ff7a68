import { openRevalidation } from "./membership-job.ts";
import type { Revalidation, RevalidationOptions } from "./membership-job.ts";
import { peopleWarnings } from "./people-warnings.ts";
import type { People } from "./ports.ts";

/** The interval without an identity provider: the default with one. */
const UNCONFIGURED_MS = 24 * 60 * 60_000;

/** Opens the checks of memberships, and warns about users. */
export async function openMembershipChecks({
  people,
  revalidateMs = UNCONFIGURED_MS,
  ...options
}: Omit<RevalidationOptions, "revalidateMs"> & {
  readonly people: Pick<People, "list">;
  /** Undefined without an identity provider. */
  readonly revalidateMs: number | undefined;
}): Promise<Revalidation> {
  const hasProvider = options.provider !== undefined;
  const warnings = peopleWarnings(await people.list(), { hasProvider });
  for (const warning of warnings) options.log.warn({}, warning);
  return openRevalidation({ ...options, revalidateMs });
}
