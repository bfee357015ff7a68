import type { LastingForm } from "@sealhouse/identity";
import type { Shown } from "../page/shown-page.ts";

/** A lasting action on one subject, and the fields that the form was sent with. */
export type LastingRequest = Pick<LastingForm, "action" | "subject" | "backPath"> & {
  readonly values: URLSearchParams;
  /** Fields with secrets: no page repeats them. */
  readonly secrets?: readonly SecretField[] | undefined;
};

/** A field of a form that has a secret. */
export type SecretField = { readonly name: string; readonly label: string };

/**
 * Keeps the form of a lasting action, and leads its session to the page that confirms it. Undefined
 * when the request sends the confirmed form again, or has no session: programs cannot answer.
 */
export type AskConfirmation = (
  shown: Pick<Shown, "from" | "address">,
  wanted: LastingRequest,
) => Promise<Response | undefined>;

const forms = new WeakMap<Request, LastingForm>();

/** Makes the request that sends a confirmed form again, from the request that confirmed it. */
export function confirmedRequest({ url, headers: sent }: Request, form: LastingForm): Request {
  const headers = new Headers(sent);
  headers.delete("content-length");
  headers.set("content-type", "application/x-www-form-urlencoded");
  const request = new Request(new URL(form.path, url), {
    method: "POST",
    headers,
    body: form.fields,
  });
  forms.set(request, form);
  return request;
}

/** Returns the form that a request sends again; undefined for requests of clients. */
export function confirmedFormOf(request: Request): LastingForm | undefined {
  return forms.get(request);
}
