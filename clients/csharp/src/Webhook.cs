using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Tillseal
{
    /// <summary>Proves that a webhook is from Tillseal and recent (https://www.standardwebhooks.com).</summary>
    public static class Webhook
    {
        private static readonly TimeSpan Tolerance = TimeSpan.FromMinutes(5);

        /// <param name="id">The header <c>webhook-id</c>. The same one again is the same notification again.</param>
        /// <param name="timestamp">The header <c>webhook-timestamp</c>.</param>
        /// <param name="signature">The header <c>webhook-signature</c>.</param>
        /// <param name="body">The text as it came, before anything parses it.</param>
        /// <param name="secret">whsec_…</param>
        /// <param name="now">For tests; otherwise the current time.</param>
        /// <exception cref="WebhookException">It is not genuine, or not recent.</exception>
        public static void Verify(string id, string timestamp, string signature, string body, string secret, DateTimeOffset? now = null)
        {
            if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(signature) || !long.TryParse(timestamp, out var seconds))
                throw new WebhookException("webhook-id, webhook-timestamp and webhook-signature are all needed");
            if (Math.Abs((now ?? DateTimeOffset.UtcNow).ToUnixTimeSeconds() - seconds) > Tolerance.TotalSeconds)
                throw new WebhookException("webhook-timestamp is more than five minutes from now");
            var key = Convert.FromBase64String(secret.StartsWith("whsec_", StringComparison.Ordinal) ? secret.Substring(6) : secret);
            using (var hmac = new HMACSHA256(key))
            {
                var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(Encoding.UTF8.GetBytes($"{id}.{timestamp}.{body}")));
                // There may be several, separated by spaces, while a secret is being renewed.
                if (!signature.Split(' ').Any(given => IsSame(given, expected))) throw new WebhookException("webhook-signature does not match the body");
            }
        }

        /// <summary>In a time that does not depend on where they differ.</summary>
        private static bool IsSame(string given, string expected)
        {
            var difference = given.Length ^ expected.Length;
            for (var i = 0; i < given.Length && i < expected.Length; i++) difference |= given[i] ^ expected[i];
            return difference == 0;
        }
    }
}
