import type { LastingForm } from "@sealhouse/identity";

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
