import type { Context } from "hono";
import { administratorForm } from "../administration/administrator.ts";
import type { Administrator } from "../administration/administrator.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { PeopleSources } from "./people-sources.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** The form for `path`; `page` is the path of the page that offers it. */
export type PeopleForm = {
  readonly c: Context;
  readonly path: string;
  readonly page: string;
  /** The change in words, such as `make ada an administrator`. */
  readonly subject: (values: URLSearchParams) => string;
  /** The end that the change brings, which a page asks first. Absent: nothing ends. */
  readonly ending?: (() => Promise<Ending | undefined>) | undefined;
};

/** Handles a form that changes users, teams or service accounts: a session confirms it before. */
export function peopleForm(
  sources: PeopleSources,
  { c, path, page, subject, ending }: PeopleForm,
  act: (administrator: Administrator, form: SentForm) => Promise<Response>,
): Promise<Response> {
  const lasting = { action: "change-users", backPath: page, subject, ending } as const;
  return administratorForm(sources, { c, path, lasting }, act);
}
