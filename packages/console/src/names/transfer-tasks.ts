import { isTokenSettingError, LEVELS, OFFER_DAYS_MAX, parseOfferEnd } from "@sealhouse/identity";
import type { NameManager } from "./name-manager.ts";
import { managePage } from "./manage-page.ts";
import type { NameSources } from "./name-sources.ts";
import { afterTask, refusalWith, unknownHandle } from "./owner-tasks.ts";
import { expiredForm } from "./shown-form.ts";
import { OFFER_FIELD } from "./transfers-card.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Offers a right on a name; it moves when the other side accepts. */
export async function offeredName(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return managePage(sources, manager, expiredForm(values));
  const { key, caller } = manager;
  const { ownerships, transfers, rules } = sources;
  const refused = refusalWith(sources, manager, values);
  const level = LEVELS.find((known) => known === values.get("offeredLevel"));
  if (!level) return refused("offeredLevel", `is not one of ${LEVELS.join(", ")}`);
  const expiry = expiryIn(values.get("expires") ?? "", rules.now());
  if (typeof expiry === "string") return refused("expires", expiry);
  const handle = values.get("to")?.trim() ?? "";
  const to = await ownerships.find(handle);
  if (!to) return refused("to", unknownHandle(handle));
  const sender = values.get("from") ?? "";
  const from = (await ownerships.list(key)).find((owner) => owner.handle === sender);
  if (sender !== "" && !from) return refused("from", "must be an owner of the name");
  const outcome = await transfers.offer(
    {
      id: sources.newId(),
      name: key,
      toId: to.id,
      level,
      expiresAt: expiry,
      ...(from && { fromId: from.id }),
    },
    caller,
  );
  return outcome === "offered"
    ? afterTask(manager, "offered")
    : refused("to", "has an open offer of this name already");
}

/** Takes an offer of a name back. */
export async function withdrawnOffer(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return afterTask(manager, "expired");
  const { key, caller } = manager;
  const offers = await sources.transfers.listOf(key);
  const offer = offers.find(({ id }) => id === values.get(OFFER_FIELD));
  const outcome = offer && (await sources.transfers.decline(offer.id, "withdrawn", caller));
  return afterTask(manager, outcome === "done" ? "withdrawn" : "ended");
}

function expiryIn(text: string, now: Date): Date | string {
  try {
    return parseOfferEnd(text, now) ?? `must be within ${OFFER_DAYS_MAX} days, such as 14d`;
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    return `is wrong: ${error.message}`;
  }
}
