<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\WebhookError;

/** Webhooks of Tillseal, signed as Standard Webhooks (https://www.standardwebhooks.com). */
final class Webhook
{
    /**
     * The JSON of a webhook that is genuine and not older than $tolerance seconds. $body is what was received, byte for byte
     * (`file_get_contents('php://input')`): JSON that was read and written again has another signature.
     *
     * @param array<string, string> $headers as `getallheaders()` gives them
     * @throws WebhookError
     */
    public static function verify(string $secret, array $headers, string $body, int $tolerance = 300, ?int $now = null): mixed
    {
        $headers = array_change_key_case($headers);
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            if (!isset($headers[$name])) {
                throw new WebhookError("the header $name is missing");
            }
        }
        ['webhook-id' => $id, 'webhook-timestamp' => $moment, 'webhook-signature' => $signatures] = $headers;
        if (!preg_match('/^\d+$/D', $moment)) {
            throw new WebhookError('webhook-timestamp is not a number of seconds');
        }
        $age = abs(($now ?? time()) - (int) $moment);
        if ($age > $tolerance) {
            throw new WebhookError("webhook-timestamp is $age seconds away from this machine's clock");
        }
        $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : $secret);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$moment.$body", $key, true));
        // Several while a secret is being replaced.
        foreach (explode(' ', $signatures) as $signature) {
            if (hash_equals($expected, $signature)) {
                return $body === '' ? null : ExactJson::decode($body);
            }
        }
        throw new WebhookError('webhook-signature does not match the body and the secret');
    }
}
