using System;

namespace Tillseal.Tests
{
    public sealed class WebhookTests
    {
        // From the standard's own documentation.
        private const string Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Id = "msg_p5jXN8AQM9LWM0D4loKWxJek", At = "1614265330", Body = "{\"test\": 2432232314}";
        private const string Signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        private static readonly DateTimeOffset Now = DateTimeOffset.FromUnixTimeSeconds(1614265330 + 290);

        public void A_genuine_one_passes_also_among_several_signatures()
        {
            Webhook.Verify(Id, At, Signature, Body, Secret, Now);
            Webhook.Verify(Id, At, "v1,AAAA v2,x " + Signature, Body, Secret, Now);
        }

        public void Whatever_is_changed_is_refused()
        {
            Action<Action> refused = act => Check.Throws<WebhookException>(act);
            refused(() => Webhook.Verify(Id, At, Signature, Body + " ", Secret, Now));
            refused(() => Webhook.Verify("other", At, Signature, Body, Secret, Now));
            refused(() => Webhook.Verify(Id, "1614265331", Signature, Body, Secret, Now));
            refused(() => Webhook.Verify(Id, At, Signature.Replace("v1,", "v2,"), Body, Secret, Now));
            refused(() => Webhook.Verify(Id, At, Signature, Body, "whsec_AAAA", Now));
            refused(() => Webhook.Verify(Id, At, Signature, Body, Secret, Now.AddSeconds(20)));
            refused(() => Webhook.Verify(Id, At, Signature, Body, Secret, Now.AddSeconds(-600)));
            refused(() => Webhook.Verify(null, At, Signature, Body, Secret, Now));
            refused(() => Webhook.Verify(Id, "soon", Signature, Body, Secret, Now));
        }
    }
}
