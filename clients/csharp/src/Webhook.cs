using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Tillseal
{
    /// <summary>Proves that a webhook is from Tillseal and recent (https://www.standardwebhooks.com).</summary>
    public static class Webhook
    {
        private static readonly TimeSpan Tolerance = TimeSpan.FromMinutes(5);

        /// <param name="secret">whsec_…</param>
        /// <param name="headers">Of the request; <c>webhook-id</c>, <c>webhook-timestamp</c> and <c>webhook-signature</c> are looked at. The same id again is the same notification again.</param>
        /// <param name="body">The text as it came, before anything parses it.</param>
        /// <param name="now">For tests; otherwise the current time.</param>
        /// <exception cref="WebhookException">It is not genuine, or not recent.</exception>
        public static void Verify(string secret, IEnumerable<KeyValuePair<string, string>> headers, string body, DateTimeOffset? now = null)
        {
            Func<string, string> header = name => headers.FirstOrDefault(each => name.Equals(each.Key, StringComparison.OrdinalIgnoreCase)).Value;
            string id = header("webhook-id"), timestamp = header("webhook-timestamp"), signature = header("webhook-signature");
            if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(signature) || !long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds))
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
