<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\WebhookException;

/** Webhooks of Tillseal, signed as Standard Webhooks (https://www.standardwebhooks.com). */
final class Webhook
{
    private const TOLERANCE_SECONDS = 300;

    /**
     * The JSON of a webhook that is genuine and not older than five minutes. $body is what was received, byte for byte
     * (`file_get_contents('php://input')`): JSON that was read and written again has another signature.
     *
     * @param array<string, string> $headers as `getallheaders()` gives them
     * @throws WebhookException
     */
    public static function verify(string $secret, array $headers, string $body, ?int $now = null): mixed
    {
        $headers = array_change_key_case($headers);
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            if (!isset($headers[$name])) {
                throw new WebhookException("the header $name is missing");
            }
        }
        ['webhook-id' => $id, 'webhook-timestamp' => $moment, 'webhook-signature' => $signatures] = $headers;
        if (!preg_match('/^\d+$/D', $moment)) {
            throw new WebhookException('webhook-timestamp is not a number of seconds');
        }
        $age = abs(($now ?? time()) - (int) $moment);
        if ($age > self::TOLERANCE_SECONDS) {
            throw new WebhookException("webhook-timestamp is $age seconds away from this machine's clock");
        }
        $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : $secret);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$moment.$body", $key, true));
        // Several while a secret is being replaced.
        foreach (explode(' ', $signatures) as $signature) {
            if (hash_equals($expected, $signature)) {
                return $body === '' ? null : ExactJson::decode($body);
            }
        }
        throw new WebhookException('webhook-signature does not match the body and the secret');
    }
}
