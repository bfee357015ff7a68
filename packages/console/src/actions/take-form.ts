import type { Action } from "@sealhouse/administration";
import { fieldsOf } from "@sealhouse/administration/inputs";
import type { Context } from "hono";
import { ACTIONS } from "../administration/administration-page.ts";
import { administratorForm } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";
import { inputIn, problemsIn } from "./action-input.ts";
import { formPage, TAG_FIELD } from "./action-page.ts";
import type { ActionSources } from "./action-sources.ts";
import { endingOf, plainTag, runAction, startJob, subjectOf, tagOf } from "./run-action.ts";

/** An action with the path of its form. */
export type FormPlace = {
  readonly action: Action;
  readonly path: string;
  readonly backPath: string;
  /** Fields that the path has. They replace those of the form. */
  readonly fixed: Readonly<Record<string, string>>;
};

/** A change that was made. */
export type Changed = {
  readonly values: URLSearchParams;
  /** Absent when a job makes it. */
  readonly output?: unknown;
  /** The job that makes the change. */
  readonly job?: string;
};

const CHANGED: FieldProblem = {
  name: "Form",
  words: "is older than the last change of this entry; check it and send it again",
};

/** A question to other servers that lasted longer than a person waits for a page. */
const TOO_LONG: FieldProblem = {
  name: "Form",
  words: "asked for something that takes more than a minute; use the command instead",
};

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/** Renders the form of a change. */
export async function changeForm(
  sources: ActionSources,
  administrator: Administrator,
  form: FormPlace & {
    readonly values: URLSearchParams;
    readonly problems: readonly FieldProblem[];
  },
): Promise<Response> {
  const tag = await tagOf(sources, administrator, { ...form, values: withFixed(form) });
  const fields = fieldsOf(form.action.input);
  return formPage(administrator, { ...form, fields, tag });
}

/** Takes the form of a change: asks what ends, lets the session confirm it, and makes it. */
export function takeForm(
  sources: ActionSources,
  c: Context,
  place: FormPlace,
  done: (administrator: Administrator, changed: Changed) => Promise<Response> | Response,
): Promise<Response> {
  const { action, path, backPath } = place;
  const asked = (values: URLSearchParams) => ({ action, values: withFixed({ ...place, values }) });
  const lasting = action.lasting && {
    action: action.lasting,
    subject: (values: URLSearchParams) => subjectOf(asked(values)),
    backPath,
    secrets: fieldsOf(action.input).filter(({ isSecret }) => isSecret),
    ending: (values: URLSearchParams) => endingOf(sources, asked(values), c.req.raw.signal),
  };
  return administratorForm(sources, { c, path, ...(lasting && { lasting }) }, (admin, form) =>
    change(sources, admin, { place, form, done }),
  );
}

async function change(
  sources: ActionSources,
  administrator: Administrator,
  {
    place,
    form,
    done,
  }: {
    readonly place: FormPlace;
    readonly form: SentForm;
    readonly done: Parameters<typeof takeForm>[3];
  },
): Promise<Response> {
  const { action } = place;
  const again = (problems: readonly FieldProblem[]) =>
    changeForm(sources, administrator, { ...place, values: form.values, problems });
  if (form.isExpired) return again([EXPIRED]);
  const values = withFixed({ ...place, values: form.values });
  const checked = inputIn(action, values);
  if ("problems" in checked) return again(checked.problems);
  const seen = form.values.get(TAG_FIELD);
  const compare = async (tag: () => Promise<string>) => {
    if (seen !== null && seen !== plainTag(await tag())) throw new ChangedError();
  };
  const running = { action, ...checked, compare };
  try {
    if (action.isLong && !action.changesNothing) {
      return await done(administrator, {
        values,
        job: await startJob(sources, administrator, running),
      });
    }
    const output = await runAction(sources, administrator, running);
    return await done(administrator, { values, output });
  } catch (error) {
    if (error instanceof ChangedError) return again([CHANGED]);
    return again(isTimeout(error) ? [TOO_LONG] : problemsIn(error));
  }
}

/** The row has changed since the form was shown. */
class ChangedError extends Error {
  override readonly name = "ChangedError";
  readonly code = "row-changed";
}

/** Path of the page of a job. */
export function jobPath(id: string): string {
  return `${ACTIONS}/jobs.show?id=${encodeURIComponent(id)}`;
}

function withFixed({
  values,
  fixed,
}: Pick<FormPlace, "fixed"> & { readonly values: URLSearchParams }): URLSearchParams {
  const all = new URLSearchParams(values);
  for (const [name, value] of Object.entries(fixed)) all.set(name, value);
  return all;
}
