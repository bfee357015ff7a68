export { grantAccess, opensCatalog, opensRepository } from "./access.ts";
export type { Access, AccessContext } from "./access.ts";
export { openAuthenticator } from "./authenticator.ts";
export type {
  Authentication,
  Authenticator,
  AuthenticatorOptions,
  Secret,
} from "./authenticator.ts";
export {
  ANONYMOUS,
  authorize,
  isUnlimited,
  reasonAgainstUse,
  reasonBySecondFactor,
} from "./authorize.ts";
export type { Action, Decision, RequiredAccess as Wanted } from "./authorize.ts";
export { createBearerTokens, isBearerToken } from "./bearer-tokens.ts";
export type { BearerOptions, BearerTokens, Issued, VerifiedBearer } from "./bearer-tokens.ts";
export { createToken } from "./create-token.ts";
export type { NewToken, TokenMaking } from "./create-token.ts";
export { readCredentials } from "./credentials.ts";
export type { Credentials } from "./credentials.ts";
export { replaceToken } from "./replace-token.ts";
export type { Replacement, TokenReplaced } from "./replace-token.ts";
export { createOwnTokens } from "./accounts/own-tokens.ts";
export type { OwnToken, OwnTokenOptions, OwnTokens, TokenOwner } from "./accounts/own-tokens.ts";
export { deriveToken } from "./derive-token.ts";
export {
  isTokenSettingError,
  tokenSettingWords,
  KeyRingError,
  SignInUnavailableError,
  TokenSettingError,
} from "./errors.ts";
export type { TokenSetting } from "./errors.ts";
export { DEFAULT_EXPIRY, parseExpiry } from "./expiry.ts";
export { createWorkLimiter, DEFAULT_FAILURE_LIMITS } from "./failure-limiter.ts";
export type { FailureLimits, WorkLimiter } from "./failure-limiter.ts";
export { createIdTokenVerification, ID_TOKEN_DAYS_MAX } from "./id-tokens/verify-id-token.ts";
export type { IdToken, IdTokenVerdict, VerifyIdToken } from "./id-tokens/verify-id-token.ts";
export { hasKeys } from "./key-ring/key-folder.ts";
export { volatilePlaceOf } from "./key-ring/key-folder-place.ts";
export { lostKeyRing, placeWarnings } from "./key-ring/key-ring-warnings.ts";
export { openKeyRing } from "./key-ring/key-ring.ts";
export type { KeyDescription, KeyRing, KeyRingOptions } from "./key-ring/key-ring.ts";
export type { WrappingKeySource } from "./key-ring/wrapping-key.ts";
export { LEAK_BYTES_MAX, LEAK_ENTRIES_MAX } from "./leaks/leak-entries.ts";
export { openLeakReports } from "./leaks/open-leak-reports.ts";
export { createLeakReports } from "./leaks/leak-reports.ts";
export type {
  LeakOutcome,
  LeakReport,
  LeakReportOptions,
  ReportedToken,
} from "./leaks/leak-reports.ts";
export { createScannerKeys } from "./leaks/scanner-keys.ts";
export type { ScannerKeys, ScannerKeysOptions } from "./leaks/scanner-keys.ts";
export { parseLoginCode } from "./login-code.ts";
export { createLoginCodes } from "./login-codes.ts";
export type { LoginCodes, LoginCodesOptions } from "./login-codes.ts";
export { createLoginFlow, LOGIN_WAITS_MS } from "./login-flow.ts";
export { administrationOf } from "./login-sessions.ts";
export type { LoginFlow, LoginOutcome, StartedLogin } from "./login-flow.ts";
export type {
  GrantedToken,
  LoginDecision,
  LoginGrant,
  LoginPurpose,
  LoginSession,
  LoginSessions,
} from "./login-sessions.ts";
export { endedDelegations, mayDelegate } from "./ownership/delegations.ts";
export type { NameRules, OwnerRefusal } from "./ownership/name-rules.ts";
export { openNameRules } from "./ownership/open-name-rules.ts";
export { reportRefusals } from "./ownership/report-refusals.ts";
export { LEVELS, hasLevel, isNewName, lowerLevel } from "./ownership/name-standing.ts";
export type {
  Level,
  NameAccess,
  NameStanding,
  NewNames,
  ReservationStanding,
} from "./ownership/name-standing.ts";
export type {
  AdoptedOwners,
  NewReservation,
  NewTransfer,
  OwnableName,
  Owner,
  OwnerLevel,
  Ownerships,
  UnownedNames,
  Reservation,
  RemovedReservation,
  Reservations,
  Transfer,
  TransferOutcome,
  Transfers,
} from "./ownership/ports.ts";
export { OFFER_DAYS_MAX, OWNERS_OF_NAME_MAX, parseOfferEnd } from "./ownership/owner-limits.ts";
export {
  nameKeyOf,
  parseReservedPattern,
  prefixesOf,
  reservedPatternText,
} from "./ownership/reserved-pattern.ts";
export {
  checkPatterns,
  coversAnyCase,
  coversName,
  lowerCaseTwin,
  parsePatterns,
} from "./name-pattern.ts";
export { isWithin, networksOfAddress, parseNetworks } from "./network.ts";
export type { CountedNetwork } from "./network.ts";
export { createTerminalCodes, TERMINAL_CODE_MS } from "./sessions/terminal-codes.ts";
export type { TerminalCodes } from "./sessions/terminal-codes.ts";
export { CONFIRMATION_MS, createConfirmations } from "./sessions/confirmations.ts";
export type {
  ConfirmationOptions,
  ConfirmationRecord,
  Confirmations,
  ConfirmationStore,
  LastingForm,
  WaitingConfirmation,
} from "./sessions/confirmations.ts";
export { finishConfirmation, startConfirmation } from "./passkeys/confirm-passkey.ts";
export type { ConfirmedAction, PasskeyConfirmation } from "./passkeys/confirm-passkey.ts";
export { passkeySiteOf } from "./passkeys/passkey-site.ts";
export type { PasskeySite } from "./passkeys/passkey-site.ts";
export { PASSKEYS_MAX } from "./passkeys/ports.ts";
export type {
  ChallengePurpose,
  ChallengeRecord,
  ChallengeScope,
  PasskeyChallenges,
  PasskeyKey,
  PasskeyRecord,
  Passkeys,
} from "./passkeys/ports.ts";
export { finishRegistration, startRegistration } from "./passkeys/register-passkey.ts";
export type {
  PasskeyHolder,
  PasskeyParts,
  PasskeyRegistration,
} from "./passkeys/register-passkey.ts";
export {
  effectiveLimits,
  FIRST_PASSKEY_MS,
  isLastingToken,
  LASTING_ACTION_TEXTS,
  LASTING_ACTIONS,
  mayRegisterPasskey,
} from "./step-up.ts";
export type { LastingAction } from "./step-up.ts";
export { GRANT_PURPOSE } from "./people/grant-purpose.ts";
export { handleProblem, numberedHandle, proposeHandle } from "./people/handle.ts";
export { DISPLAY_NAME_MAX, lineProblem, REASON_MAX } from "./people/line-problem.ts";
export { addServiceAccount, addTeam, addUser, teamProblems } from "./people/new-owners.ts";
export type { Added, GroupProblem, TextProblem } from "./people/new-owners.ts";
export { openMembershipChecks } from "./people/open-membership-checks.ts";
export { openRevalidation } from "./people/membership-job.ts";
export type { Revalidation, RevalidationOptions } from "./people/membership-job.ts";
export { peopleWarnings } from "./people/people-warnings.ts";
export { ROLES, USER_STATES } from "./people/person.ts";
export type { Person, Role, RoleSource, UserState } from "./people/person.ts";
export type {
  Arrival,
  DueCheck,
  MembershipChecks,
  NewArrival,
  NewPerson,
  People,
  PeoplePages,
  ProviderAccount,
  UserDetails,
  UserTeam,
} from "./people/ports.ts";
export { scopesBeyond, scopesWithin } from "./people/role-scopes.ts";
export { SERVICE_ACCOUNT_STATES } from "./people/service-accounts.ts";
export type {
  ServiceAccount,
  ServiceAccounts,
  ServiceAccountState,
} from "./people/service-accounts.ts";
export { MEMBER_RIGHTS, TEAM_LEVELS, TEAM_MEMBERS_MAX } from "./people/teams.ts";
export type { Team, TeamChange, TeamLevel, TeamMember, Teams } from "./people/teams.ts";
export { findTokenHolder } from "./people/token-holder.ts";
export type { HolderSources, TokenHolder, WantedHolder } from "./people/token-holder.ts";
export { changeRole, changeState, USER_ACTIONS } from "./people/user-changes.ts";
export { roleText, stateText } from "./people/user-changes.ts";
export type { RoleChoice, UserAction, UserChanged } from "./people/user-changes.ts";
export { normalizeAudience } from "./policies/audiences.ts";
export { openPolicyExchange } from "./policies/open-exchange.ts";
export { createPolicyExchange } from "./policies/exchange.ts";
export type {
  ExchangeOptions,
  ExchangeOutcome,
  ExchangeRequest,
  PolicyExchange,
  PublishingOrigin,
} from "./policies/exchange.ts";
export { judgeToken, requiredClaims } from "./policies/judge-token.ts";
export type { Judgement } from "./policies/judge-token.ts";
export { policyProblems } from "./policies/parse-policy.ts";
export { policyActor, policySubject, runClaims } from "./policies/policy-actor.ts";
export {
  POLICIES_OF_NAME_MAX,
  POLICIES_OF_OWNER_MAX,
  policyLimitProblem,
} from "./policies/policy-limits.ts";
export { policyEnd, POLICY_LIFE_S, POLICY_PROVIDERS, POLICY_STATES } from "./policies/policy.ts";
export type {
  NewPolicy,
  PolicyClaim,
  PolicyClaims,
  PolicyProvider,
  PolicyState,
  PublishPolicy,
} from "./policies/policy.ts";
export { newPolicy, readPolicy } from "./policies/policy-texts.ts";
export type {
  PolicyMaking,
  PolicyTextProblem,
  PolicyTexts,
  PolicyTrust,
  ReadPolicy,
} from "./policies/policy-texts.ts";
export type { Policies, PolicyUse, PolicyUseOutcome } from "./policies/ports.ts";
export { pinEndOf, pinsOf, PROVIDER_CLAIMS } from "./policies/provider-claims.ts";
export { CHILDREN_MAX, TOKEN_STATES } from "./ports.ts";
export type {
  AdministrativeScope,
  LeakPlace,
  Scope,
  SignInFailure,
  SignInFailures,
  TokenAdministration,
  TokenFilter,
  TokenLeaks,
  TokenLists,
  TokenLookup,
  TokenPage,
  TokenRecord,
  TokenServiceAccount,
  TokenState,
  TokenUse,
  TokenUser,
} from "./ports.ts";
export { holderOf, mayUseScope, ownerOf, principalOf } from "./principal.ts";
export type { Principal, Requester, SessionPrincipal, TokenEnd } from "./principal.ts";
export { createRefreshTokens, tooManyRefreshTokens } from "./refresh-tokens.ts";
export type {
  RefreshTokenLimits,
  RefreshTokenOptions,
  RefreshTokenRecord,
  RefreshTokens,
  RefreshTokenStore,
} from "./refresh-tokens.ts";
export {
  ADMINISTRATIVE_SCOPES,
  PROTOCOLS,
  SCOPES,
  SCOPE_TEXTS,
  isAdministrative,
  parseProtocols,
  parseScopes,
} from "./scope.ts";
export { createAdministrationAuthorize } from "./requests/administration-access.ts";
export type { AdministrationAuthorize } from "./requests/administration-access.ts";
export {
  createBrowserSessions,
  openSessionsOf,
  ROTATION_MS,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from "./sessions/browser-sessions.ts";
export type {
  BrowserSession,
  BrowserSessions,
  BrowserSessionOptions,
  SignedIn,
} from "./sessions/browser-sessions.ts";
export {
  cookieNames,
  formatCookie,
  formatDeletion,
  readCookies,
  waitingCookie,
} from "./sessions/cookies.ts";
export type { CookieNames } from "./sessions/cookies.ts";
export { createFirstAdministrator, FIRST_LINK_MS } from "./sessions/first-administrator.ts";
export type { FirstAdministrator } from "./sessions/first-administrator.ts";
export { isFormToken, makeFormToken } from "./sessions/form-token.ts";
export { openSignIn } from "./requests/open-sign-in.ts";
export type { OpenSignInOptions, PageSignIn } from "./requests/open-sign-in.ts";
export { createPageSessions } from "./requests/page-sessions.ts";
export type { PageRequest, PageSessions } from "./requests/page-sessions.ts";
export { parseReturnPath } from "./sessions/return-path.ts";
export { isSecret, makeSecret } from "./sessions/secret.ts";
export type {
  SessionRecord,
  SessionRotation,
  Sessions,
  SessionUser,
  SignInMethod,
  StoredSession,
} from "./sessions/session.ts";
export { createSignInFlow, stateHashOf } from "./sessions/sign-in-flow.ts";
export type {
  FinishedSignIn,
  ReturningBrowser,
  SignInFlow,
  SignInFlowOptions,
  SignInRefusal,
  StartedSignIn,
} from "./sessions/sign-in-flow.ts";
export { signInRefused } from "./sessions/sign-in-refused.ts";
export type { SignInRefused } from "./sessions/sign-in-refused.ts";
export { createSignInProvider, openSignInProvider } from "./sign-in/create-provider.ts";
export type {
  GitHubConfig,
  GoogleConfig,
  MicrosoftConfig,
  ProviderConfig,
  SignInConfig,
} from "./sign-in/provider-config.ts";
export { teamGroupProblem } from "./sign-in/team-group.ts";
export type { KnownOrganization, SignInProviderOptions } from "./sign-in/provider-options.ts";
export type {
  MembershipCheck,
  ProviderName,
  RefusedPerson,
  SignInAttempt,
  SignInProvider,
  VerifiedPerson,
} from "./sign-in/provider.ts";
export { descendantsOf } from "./token-family.ts";
export { findToken } from "./find-token.ts";
export { formatToken, parseTokenText } from "./token-text.ts";
export type { TokenText } from "./token-text.ts";
export type { AccessRules } from "./requests/access-rules.ts";
export type {
  IdentifyPage,
  PageIdentification,
  RequestDecisions,
  RequestHeaders,
  RequestOrigin,
  RequestOrigins,
} from "./requests/identification.ts";
export { openAccessRules } from "./requests/open-access-rules.ts";
export type { OpenRulesOptions } from "./requests/open-access-rules.ts";
export { identifyRequest, openRequestDecisions } from "./requests/identification.ts";
export { authorizeImage, createImageAuthorize } from "./requests/image-access.ts";
export type { ImageAction, ImageAuthorize, ImageRequest } from "./requests/image-access.ts";
export { createImageTokens } from "./requests/image-tokens.ts";
export type { ImageTokenOutcome, ImageTokenRequest, ImageTokens } from "./requests/image-tokens.ts";
export {
  authorizePackage,
  createPackageAuthorize,
  createPageAuthorize,
  openReads,
} from "./requests/package-access.ts";
export type {
  PackageAuthorize,
  PackageRequest,
  PageAuthorize,
  Reads,
} from "./requests/package-access.ts";
export { UNCONFIRMED, withoutStepUp } from "./requests/page-verdict.ts";
export type { PageVerdict } from "./requests/page-verdict.ts";
export { createTokenAccounts } from "./accounts/accounts.ts";
export type {
  AccountHolder,
  AccountIdentified,
  AccountOptions,
  AccountPermission,
  AccountSession,
  AccountStepUp,
  AccountToken,
  AccountTokens,
  NewAccountToken,
  RateLimited,
  TokenAccounts,
} from "./accounts/account-types.ts";
export { openPepper } from "./pepper-file.ts";
export type { PepperSource } from "./pepper-file.ts";
export { createNameViews, VISIBILITIES } from "./visibility/visibility.ts";
export type {
  HiddenName,
  LimitedName,
  NameViews,
  NameVisibilities,
  View,
  ViewedNames,
  ViewHolder,
  Visibility,
} from "./visibility/visibility.ts";
