import type { Limit, Verdict } from './rate-limits.ts';

/** Fields of an answer; `retry-after` only where the call was refused. */
interface RateLimitHeaders {
  readonly 'ratelimit-policy': string;
  readonly ratelimit: string;
  readonly 'retry-after'?: string;
}

/** One text for each policy, made at its first use. */
const policies = new Map<string, { limit: Limit; text: string }>();

/**
 * The header fields that report a client's quota, by draft-ietf-httpapi-ratelimit-headers-11: `q` calls in `w`
 * seconds, of which `r` are left until `t` seconds from now; and `Retry-After` (RFC 9110, 10.2.3), which on a
 * refusal is the same time as `t`.
 *
 * @param policyName a word of ours, letters, digits, `-` and `_`, so that it needs no escaping (RFC 9651, 3.3.3)
 */
export function rateLimitHeaders(policyName: string, limit: Limit, verdict: Verdict): RateLimitHeaders {
  let policy = policies.get(policyName);
  if (policy?.limit !== limit) {
    policy = { limit, text: `"${policyName}";q=${limit.limit};w=${Math.ceil(limit.windowMs / 1000)}` };
    policies.set(policyName, policy);
  }
  const ratelimit = `"${policyName}";r=${verdict.remaining};t=${verdict.resetSeconds}`;
  if (verdict.allowed) return { 'ratelimit-policy': policy.text, ratelimit };
  return {
    'ratelimit-policy': policy.text,
    ratelimit,
    'retry-after': String(Math.max(1, verdict.retryAfterSeconds)),
  };
}
