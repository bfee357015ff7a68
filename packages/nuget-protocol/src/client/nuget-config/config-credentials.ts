import type { XmlElement } from "../../manifest/xml.ts";
import type { ConfigRemark } from "./config-remark.ts";
import type { ConfigEnvironment, Expand } from "./config-section.ts";
import type { ConfiguredSource } from "./config-source.ts";

type Login = NonNullable<ConfiguredSource["credentials"]>;

type LoginOptions = {
  readonly env: ConfigEnvironment;
  readonly expand: Expand;
  readonly remarks: ConfigRemark[];
};

/**
 * Reads the credentials of a source from its environment variable or its element. Returns undefined
 * when it has no usable ones, `refused` when a variable of theirs is not set.
 */
export function readCredentials(
  key: string,
  element: XmlElement | undefined,
  { env, expand, remarks }: LoginOptions,
): Login | undefined | "refused" {
  const variable = `NuGetPackageSourceCredentials_${key}`;
  const values = Object.hasOwn(env, variable)
    ? valuesOfVariable(env[variable] ?? "")
    : valuesOfElement(element);
  const remark = (kind: ConfigRemark["kind"], problem: string) => {
    remarks.push({ kind, key, text: `The package source "${key}" ${problem}` });
  };
  const texts = new Map<string, string>();
  for (const [name, value] of values) {
    const expanded = expand(value);
    if (expanded.status === "unset") {
      const problem = `has credentials that use %${expanded.name}%: set this environment variable.`;
      remark("refused", problem);
      return "refused";
    }
    texts.set(name, expanded.text);
  }
  const types = texts.get("validauthenticationtypes");
  if (
    types !== undefined &&
    !types
      .toLowerCase()
      .split(/[\s,]+/)
      .includes("basic")
  ) {
    remark(
      "ignored",
      `allows only the authentication types "${types}"; basic, which is not among them, is used.`,
    );
  }
  const username = texts.get("username");
  const password =
    texts.get("cleartextpassword") ?? (variable in env ? texts.get("password") : undefined);
  if (username !== undefined && password !== undefined) {
    return { type: "basic", username, password };
  }
  if (texts.has("password")) {
    remark(
      "ignored",
      "has an encrypted Password, which only the computer that encrypted it can read: " +
        "use ClearTextPassword with %NAME%.",
    );
  } else if (texts.size > 0) {
    remark("ignored", "has credentials without Username and ClearTextPassword.");
  }
  return undefined;
}

/** Lower-case names. */
function valuesOfElement(element: XmlElement | undefined): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, attributes } of element?.children ?? []) {
    const key = attributes.get("key")?.toLowerCase();
    if (name === "add" && key !== undefined) values.set(key, attributes.get("value") ?? "");
  }
  return values;
}

/** Reads `Username=a;Password=b;ValidAuthenticationTypes=basic`. A password ends at a semicolon. */
function valuesOfVariable(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(";").flatMap((part) => {
    const end = part.indexOf("=");
    return end > 0 ? [[part.slice(0, end).trim().toLowerCase(), part.slice(end + 1)] as const] : [];
  });
  return new Map(pairs);
}
