import type { Context } from "hono";
import { administratorForm } from "../administration/administrator.ts";
import type { Administrator, SentForm } from "../administration/administrator.ts";
import { confirmationFor } from "../sign-in/confirmation.ts";
import type { PeopleSources } from "./people-sources.ts";

/** The form for `path`; `page` is the path of the page that offers it. */
export type PeopleForm = { readonly c: Context; readonly path: string; readonly page: string };

/** Handles a form that changes users, teams or service accounts: a session confirms it before. */
export function peopleForm(
  sources: PeopleSources,
  { c, path, page }: PeopleForm,
  act: (administrator: Administrator, form: SentForm) => Promise<Response>,
): Promise<Response> {
  return administratorForm(sources, { c, path }, async (administrator, form) => {
    const wanted = { action: "change-users", returnPath: page } as const;
    return confirmationFor(sources, administrator, wanted) ?? act(administrator, form);
  });
}
