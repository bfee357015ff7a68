import type { XmlElement } from "../../manifest/xml.ts";
import type { Credentials } from "../credentials.ts";
import type { ConfigRemark } from "./config-remark.ts";
import type { Expand } from "./config-section.ts";

/** A NuGet v3 feed of a NuGet.config. */
export type ConfiguredSource = {
  readonly key: string;
  /** Absolute `http` or `https` URL of the service index, without credentials. */
  readonly url: string;
  readonly protocolVersion: 3;
  readonly isDisabled: boolean;
  /** True for every source with an `http` URL. */
  readonly allowInsecureConnections: boolean;
  /** Minimum age of a version; undefined without this attribute. */
  readonly minPublishAgeHours?: number;
  readonly credentials?: Extract<Credentials, { readonly type: "basic" }>;
};

type SourceOptions = {
  readonly expand: Expand;
  readonly isDisabled: boolean;
  readonly remarks: ConfigRemark[];
};

/** Returns undefined for a refused source, after adding a remark. */
export function readConfiguredSource(
  element: XmlElement,
  { expand, isDisabled, remarks }: SourceOptions,
): ConfiguredSource | undefined {
  const key = element.attributes.get("key") ?? "";
  const refuse = (problem: string) => {
    remarks.push({ kind: "refused", key, text: `The package source "${key}" ${problem}` });
    return undefined;
  };
  const attributes = new Map<string, string>();
  for (const [name, value] of element.attributes) {
    const expanded = expand(value);
    if (expanded.status === "unset") {
      return refuse(`uses %${expanded.name}%: set this environment variable or remove it.`);
    }
    attributes.set(name.toLowerCase(), expanded.text.trim());
  }
  const url = readAddress(attributes);
  if (url.status === "refused") return refuse(url.problem);
  const age = readHours(attributes.get("minpublishagehours"));
  if (age === "invalid") return refuse("has a minPublishAgeHours that is not a number of hours.");
  if (isTrue(attributes.get("disabletlscertificatevalidation"))) {
    const text =
      `The package source "${key}" sets disableTLSCertificateValidation, which is ignored: ` +
      "add its certificate authority to the trusted ones.";
    remarks.push({ kind: "ignored", key, text });
  }
  return {
    key,
    url: url.href,
    protocolVersion: 3,
    isDisabled,
    allowInsecureConnections: isTrue(attributes.get("allowinsecureconnections")),
    ...(age !== undefined && { minPublishAgeHours: age }),
  };
}

type Address =
  | { readonly status: "usable"; readonly href: string }
  | { readonly status: "refused"; readonly problem: string };

function readAddress(attributes: ReadonlyMap<string, string>): Address {
  const value = attributes.get("value") ?? "";
  if (value === "") return refused("has no value: give the URL of its service index.");
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(value)) {
    return refused(
      "is a folder. Only the URL of a NuGet v3 service index is supported; import folders instead.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    return refused("has credentials in its URL: move them to <packageSourceCredentials>.");
  }
  // The SDK takes the version of a URL that ends with .json as 3, of others as 2.
  const assumed = url.pathname.toLowerCase().endsWith(".json") ? "3" : "2";
  const version = attributes.get("protocolversion") ?? assumed;
  if (version !== "3") {
    return refused(
      "is a NuGet v2 feed. Use the URL of its v3 service index, which usually ends with " +
        'index.json, or add protocolVersion="3".',
    );
  }
  if (url.protocol === "http:" && !isTrue(attributes.get("allowinsecureconnections"))) {
    return refused('uses http: use https, or add allowInsecureConnections="true".');
  }
  return { status: "usable", href: url.href };
}

function refused(problem: string): Address {
  return { status: "refused", problem };
}

function readHours(text: string | undefined): number | undefined | "invalid" {
  if (text === undefined || text === "") return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : "invalid";
}

function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === "true";
}
