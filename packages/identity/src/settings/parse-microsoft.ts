import type { Settings } from "@sealhouse/settings";
import type { ClientRegistration, MicrosoftConfig } from "../sign-in/provider-config.ts";
import { checkAddress, requireText } from "./provider-values.ts";
import { SIGN_IN_SETTINGS } from "./sign-in-table.ts";

const SECTION = "Host__Authentication__Microsoft";
const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The directory of all personal accounts. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

/** Microsoft Graph by the host of the sign-in service. */
const GRAPHS: Readonly<Record<string, string>> = {
  "login.microsoftonline.com": "https://graph.microsoft.com",
  "login.microsoftonline.us": "https://graph.microsoft.us",
  "login.partner.microsoftonline.cn": "https://microsoftgraph.chinacloudapi.cn",
};

/** Parses the section of Microsoft, whose client is read already. */
export function parseMicrosoft(
  settings: Settings,
  client: ClientRegistration | undefined,
): MicrosoftConfig | undefined {
  if (!client) return undefined;
  const own = settings.of(SIGN_IN_SETTINGS);
  const ids = (key: keyof typeof SIGN_IN_SETTINGS & `${typeof SECTION}__${string}GroupIds`) =>
    own.get(key).map((id) => parseGroup(settings, key, id));
  const instance = own.get(`${SECTION}__Instance`);
  checkAddress(settings, `${SECTION}__Instance`, instance);
  return {
    name: "microsoft",
    ...client,
    tenantId: parseTenant(settings),
    instance,
    graphBaseUrl: parseGraph(settings, instance),
    allowedEmailDomains: own.get(`${SECTION}__AllowedEmailDomains`),
    allowsGuests: own.get(`${SECTION}__AllowGuests`),
    groups: {
      required: ids(`${SECTION}__RequiredGroupIds`),
      administrators: ids(`${SECTION}__AdminRoleGroupIds`),
      publishers: ids(`${SECTION}__PublisherRoleGroupIds`),
      consumers: ids(`${SECTION}__ConsumerRoleGroupIds`),
    },
  };
}

function parseTenant(settings: Settings): string {
  const key = `${SECTION}__TenantId` as const;
  const text = requireText(settings, key, settings.of(SIGN_IN_SETTINGS).get(key));
  const tenantId = text.trim().toLowerCase();
  if (tenantId === "") return tenantId;
  if (!GUID.test(tenantId)) {
    settings.problem(
      key,
      `"${text}" is not the id of one directory; allowed: the directory (tenant) id of your ` +
        "organization, a GUID",
    );
  } else if (tenantId === CONSUMERS) {
    settings.problem(
      key,
      "is the directory of all personal accounts, so all of them could sign in; allowed: the " +
        "directory (tenant) id of your organization",
    );
  }
  return tenantId;
}

function parseGraph(settings: Settings, instance: string): string {
  const key = `${SECTION}__GraphBaseUrl` as const;
  const address = settings.of(SIGN_IN_SETTINGS).get(key) ?? GRAPHS[new URL(instance).hostname];
  if (address === undefined) {
    settings.problem(key, `is required, because ${SECTION}__Instance is not a known cloud`);
    return "";
  }
  checkAddress(settings, key, address);
  return address;
}

function parseGroup(settings: Settings, key: string, text: string): string {
  const id = text.trim().toLowerCase();
  if (!GUID.test(id)) {
    settings.problem(key, `"${text}" is not the object id of a group, which is a GUID`);
  }
  return id;
}
