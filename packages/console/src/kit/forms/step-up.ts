import { UNCONFIRMED } from "@sealhouse/identity";
import type { Shown } from "../page/shown-page.ts";
import { refusalPageResponse } from "../refusals/refusal-page.ts";
import { askFirst } from "./ask-first.ts";
import type { Ending } from "./ask-first.ts";
import type { AskConfirmation, LastingRequest } from "./confirmed-forms.ts";

/** The answer of `authorize` to a session that must confirm a change. */
export type StepUp = { readonly status: "step-up" };

/** A lasting change that a form asks for. */
export type AskedChange = {
  readonly wanted: LastingRequest;
  /** The end that the change brings, which a page asks first. Absent: nothing ends. */
  readonly ending?: Ending | undefined;
  readonly confirm: AskConfirmation;
};

/** An answer about a change, and how to ask for it again once the session has confirmed it. */
export type Attempt<Answer> = {
  readonly first: Answer | StepUp;
  readonly again: () => Promise<Answer | StepUp>;
};

/**
 * Asks before something ends. Then, where the answer is `step-up`, lets the session confirm the
 * change: the form waits with its fields, is sent again, and the confirmation counts for its action
 * and subject only. Returns a page to show, or the answer.
 */
export async function withStepUp<Answer extends { readonly status: string }>(
  shown: Shown,
  { wanted, ending, confirm }: AskedChange,
  { first, again }: Attempt<Answer>,
): Promise<Response | Answer> {
  const question = await askFirst(shown, ending, wanted);
  if (question) return question;
  if (!isStepUp(first)) return first;
  const asked = await confirm(shown, wanted);
  if (asked) return asked;
  const answer = await again();
  if (!isStepUp(answer)) return answer;
  return refusalPageResponse(shown.site, shown.address, UNCONFIRMED);
}

/**
 * For a session that changes what is its own, where only the confirmation may be missing. Returns a
 * page to show; undefined when the change may be made.
 */
export async function askSession(shown: Shown, change: AskedChange): Promise<Response | undefined> {
  const again = async () => ({ status: "granted" }) as const;
  const answer = await withStepUp(shown, change, { first: { status: "step-up" }, again });
  return answer instanceof Response ? answer : undefined;
}

function isStepUp(answer: { readonly status: string }): answer is StepUp {
  return answer.status === "step-up";
}
