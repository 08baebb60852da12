<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\NoAnswer;
use Tillseal\Error\Problem;
use Tillseal\Error\Unavailable;

/** The API: the calls a till makes most by name, all others through `call`. Decimals are text ("12.50") both ways. */
final class Client
{
    private readonly string $url;

    public function __construct(string $url, private readonly string $token, private readonly float $timeout = 30.0)
    {
        if (!preg_match('#^https?://[^/]+#', $url)) {
            throw new \InvalidArgumentException("'$url' is not an address such as https://tillseal.example");
        }
        $this->url = rtrim($url, '/');
    }

    /**
     * Seals a receipt. $late marks one that was sold while the connection was down, whose date may be moved.
     *
     * @param array<string, mixed> $receipt
     * @return array<string, mixed>
     * @throws NoAnswer when the connection fails: call it again with the same receipt, or better, sell through an Outbox
     * @throws Problem
     */
    public function sign(array $receipt, bool $late = false): array
    {
        return $this->call('POST', '/api/receipt/sign', $receipt, headers: $late ? ['Late-Receipt: true'] : []);
    }

    /**
     * What `sign` would say, without sealing: the receipt in its normalised form, or the problem.
     *
     * @param array<string, mixed> $receipt
     * @return array<string, mixed>
     */
    public function check(array $receipt): array
    {
        return $this->call('POST', '/api/receipt/check', $receipt);
    }

    /**
     * Completes a receipt without `Taxes`, `TotalAmount` and the amount of its only payment; ready to sign.
     *
     * @param array<string, mixed> $receipt
     * @return array<string, mixed>
     */
    public function calculate(array $receipt): array
    {
        return $this->call('POST', '/api/receipt/calculate', $receipt);
    }

    /**
     * Everything that happened after number $after, in order, without gaps; then waits for more, without end. With $wait 0 it ends with the
     * last event there is. Keep the `Number` of what you have dealt with, and go on from there.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function events(int $after = 0, int $wait = 30): \Generator
    {
        for ($delay = 1; ; ) {
            $query = ['After' => $after, 'Wait' => $wait, 'Limit' => 500];
            try {
                $events = $this->call('GET', '/api/events', query: $query, timeout: $wait + $this->timeout)['Events'];
            } catch (NoAnswer | Unavailable $error) {
                if ($wait === 0) {
                    throw $error;
                }
                $seconds = $error instanceof Unavailable ? $error->retryAfter : null;
                usleep((int) (1e6 * ($seconds ?: $delay)));
                $delay = min(2 * $delay, 60);
                continue;
            }
            $delay = 1;
            foreach ($events as $event) {
                yield $event;
                $after = $event['Number'];
            }
            if ($events === [] && $wait === 0) {
                return;
            }
        }
    }

    /**
     * Any operation of the API. The answer's JSON with exact decimals; the text as it is when it is not JSON; null when empty.
     *
     * @param array<string, mixed> $query
     * @param list<string> $headers
     * @throws NoAnswer
     * @throws Problem
     */
    public function call(
        string $method,
        string $path,
        mixed $body = null,
        array $query = [],
        array $headers = [],
        ?float $timeout = null,
    ): mixed {
        $text = $body === null ? null : ExactJson::encode($body);
        $answer = $this->send($method, $path . ($query ? '?' . http_build_query($query) : ''), $text, $headers, $timeout);
        if ($answer->status < 200 || $answer->status > 299) {
            throw Problem::of($answer->status, $answer->body, $answer->retryAfter());
        }
        if ($answer->body === '') {
            return null;
        }
        return str_contains($answer->headers['content-type'] ?? '', 'json') ? ExactJson::decode($answer->body) : $answer->body;
    }

    /**
     * One request and its answer, whatever the status. Redirects are not followed.
     *
     * @param list<string> $headers
     * @throws NoAnswer
     */
    public function send(string $method, string $path, ?string $body = null, array $headers = [], ?float $timeout = null): Answer
    {
        array_push($headers, "Authorization: Bearer $this->token", 'Accept: application/json');
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        return Http::send($method, $this->url . $path, $headers, $body, $timeout ?? $this->timeout);
    }
}
