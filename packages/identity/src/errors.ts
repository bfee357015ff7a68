/** An invalid setting of a token. The message contains the allowed values. */
export class TokenSettingError extends Error {
  override readonly name = "TokenSettingError";
  readonly code = "token-setting-invalid";
  readonly setting: TokenSetting;

  constructor(setting: TokenSetting, message: string) {
    super(message);
    this.setting = setting;
  }
}

/** Whether an error is about an invalid setting of a token. */
export function isTokenSettingError(error: unknown): error is TokenSettingError {
  return error instanceof TokenSettingError;
}

/** Returns what is wrong with a setting, as words that continue its name. */
export function tokenSettingWords({ message, setting }: TokenSettingError): string {
  if (message.startsWith('"')) return message;
  return `cannot be ${setting === "owner" ? "created" : "used"}: ${message}`;
}

/** The setting that is invalid. */
export type TokenSetting =
  | "parent"
  | "owner"
  | "name"
  | "scopes"
  | "protocols"
  | "patterns"
  | "networks"
  | "expires";

/** Data that the key ring cannot decrypt, or an invalid key file or wrapping key. */
export class KeyRingError extends Error {
  override readonly name = "KeyRingError";
  readonly code:
    | "unknown-key"
    | "not-protected"
    | "tampered"
    | "bad-key-file"
    | "bad-wrapping-key"
    | "wrapping-key-missing"
    | "wrapping-key-wrong";

  constructor(code: KeyRingError["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The identity provider cannot be asked: it is down, too slow, or its answer is unusable. */
export class SignInUnavailableError extends Error {
  override readonly name = "SignInUnavailableError";
  readonly code = "sign-in-unavailable";
}
