/** Steps of a sign-in at a stand-in, without a browser. */
const STEPS_MAX = 20;

/**
 * Signs an account in at the page of a stand-in, as a browser with its own cookies would.
 *
 * @returns the address of the registry that the provider sends the browser to
 */
export async function signInAt(
  page: URL,
  options: {
    readonly login: string;
    readonly redirectUri: string;
    readonly decision?: "allow" | "cancel";
  },
): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { readonly url: URL; readonly form?: URLSearchParams } = { url: page };
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (next.url.href.startsWith(options.redirectUri)) return next.url;
    const answer = await fetch(next.url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(next.form && { method: "POST", body: next.form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    next =
      location === null
        ? submitted(next.url, await answer.text(), options)
        : { url: new URL(location, next.url) };
  }
  throw new Error(`the sign-in at ${page.origin} did not end`);
}

function submitted(
  url: URL,
  html: string,
  { login, decision = "allow" }: { readonly login: string; readonly decision?: string },
): { readonly url: URL; readonly form?: URLSearchParams } {
  if (!html.includes('name="login"')) throw new Error(`${url.href} has no sign-in page: ${html}`);
  const form = new URLSearchParams({ login, decision });
  if (html.includes('<form method="post">')) return { url, form };
  const next = new URL(url);
  for (const [name, value] of form) next.searchParams.set(name, value);
  return { url: next };
}
