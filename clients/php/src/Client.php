<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\NoAnswerException;
use Tillseal\Error\OutboxException;
use Tillseal\Error\ProblemException;
use Tillseal\Error\UnavailableException;
use Tillseal\Outbox\Report;

/** The API: the calls a till makes most by name, all others through `call`. Decimals are text ("12.50") both ways. */
final class Client
{
    private const LONGEST_ANSWER = 16 * 1024 * 1024;

    private readonly string $url;

    public function __construct(string $url, private readonly string $token, private readonly float $timeoutSeconds = 30)
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
     * @throws NoAnswerException send the same again, or better, sell through an outbox
     * @throws ProblemException
     */
    public function sign(array $receipt, bool $late = false): array
    {
        return $this->document('POST', '/api/receipt/sign', $receipt, headers: $late ? ['Late-Receipt: true'] : []);
    }

    /**
     * What `sign` would answer, without sealing: the receipt in its normalised form, or the problem.
     *
     * @param array<string, mixed> $receipt
     * @return array<string, mixed>
     */
    public function check(array $receipt): array
    {
        return $this->document('POST', '/api/receipt/check', $receipt);
    }

    /**
     * Completes a receipt without `Taxes`, `TotalAmount` and the amount of its only payment; ready to sign.
     *
     * @param array<string, mixed> $receipt
     * @return array<string, mixed>
     */
    public function calculate(array $receipt): array
    {
        return $this->document('POST', '/api/receipt/calculate', $receipt);
    }

    /**
     * Everything that happened after number $after, in order, without gaps; then waits for more, without end. With $waitSeconds 0 it ends with the
     * last event there is. Keep the `Number` of the last event that you have handled, and continue from there.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function events(int $after = 0, int $waitSeconds = 30): \Generator
    {
        for ($delay = 1; ; ) {
            $query = ['After' => $after, 'Wait' => $waitSeconds, 'Limit' => 500];
            try {
                $events = $this->document('GET', '/api/events', query: $query, seconds: $waitSeconds + $this->timeoutSeconds)['Events'] ?? [];
            } catch (NoAnswerException | UnavailableException $error) {
                if ($waitSeconds === 0) {
                    throw $error;
                }
                $seconds = $error instanceof UnavailableException ? $error->retryAfterSeconds : null;
                sleep(max(1, min($seconds ?? $delay, 300)));
                $delay = min(2 * $delay, 60);
                continue;
            }
            $delay = 1;
            foreach ($events as $event) {
                yield $event;
                $after = $event['Number'];
            }
            if ($events === [] && $waitSeconds === 0) {
                return;
            }
        }
    }

    /**
     * Any operation of the API. The answer's JSON with exact decimals; the text as it is when it is not JSON; null when empty.
     *
     * @param array<string, mixed> $query
     * @throws NoAnswerException
     * @throws ProblemException
     */
    public function call(string $method, string $path, mixed $body = null, array $query = []): mixed
    {
        return $this->request($method, $path, $body, $query);
    }

    /**
     * Opens the outbox in this file, or creates it: what is sold through it is sealed exactly once, whatever happens to the connection.
     *
     * @param null|callable(Report): mixed $report is told what a person should know; by default PHP's error log
     * @throws OutboxException
     */
    public function openOutbox(string $file, float $deadlineSeconds = 5, ?callable $report = null): Outbox
    {
        return new Outbox($this, $file, $deadlineSeconds, $report);
    }

    /**
     * One request and its answer with any status. Redirects are not followed.
     *
     * @internal
     * @param list<string> $headers
     * @throws NoAnswerException
     */
    public function send(string $method, string $path, ?string $body, array $headers, float $seconds): Answer
    {
        $found = [];
        // In parts, because a string that grows is sometimes in memory twice.
        [$parts, $length] = [[], 0];
        $handle = curl_init($this->url . $path);
        array_push($headers, "Authorization: Bearer $this->token", 'Accept: application/json');
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            // Without an empty Expect, curl waits a second before it sends a long body.
            CURLOPT_HTTPHEADER => [...$headers, 'Expect:'],
            CURLOPT_WRITEFUNCTION => static function ($handle, string $part) use (&$parts, &$length): int {
                $length += strlen($part);
                if ($length > self::LONGEST_ANSWER) {
                    return -1; // Ends the request.
                }
                $parts[] = $part;
                return strlen($part);
            },
            CURLOPT_TIMEOUT_MS => max(1, (int) ($seconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$found): int {
                [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
                $found[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        if (!curl_exec($handle)) {
            throw new NoAnswerException("no answer from $this->url: " . ($length > self::LONGEST_ANSWER ? 'it is longer than 16 MiB' : curl_error($handle)));
        }
        return new Answer(curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $found, implode($parts));
    }

    /** A call whose answer is an object, which a captive portal's page is not. */
    private function document(string $method, string $path, mixed $body = null, array $query = [], array $headers = [], ?float $seconds = null): array
    {
        $document = $this->request($method, $path, $body, $query, $headers, $seconds);
        return is_array($document) ? $document : throw new NoAnswerException("what answered at $this->url is not Tillseal");
    }

    private function request(string $method, string $path, mixed $body, array $query, array $headers = [], ?float $seconds = null): mixed
    {
        $text = $body === null ? null : ExactJson::encode($body);
        $address = $path . ($query ? '?' . http_build_query($query) : '');
        $answer = $this->send($method, $address, $text, $headers, $seconds ?? $this->timeoutSeconds);
        if ($answer->status < 200 || $answer->status > 299) {
            $problem = ProblemException::of($answer->status, $answer->body, $answer->retryAfterSeconds());
            throw $problem->code === null ? new NoAnswerException($answer->asStranger()) : $problem;
        }
        try {
            $isJson = str_contains($answer->headers['content-type'] ?? '', 'json');
            return $answer->body === '' ? null : ($isJson ? ExactJson::decode($answer->body) : $answer->body);
        } catch (\JsonException) {
            throw new NoAnswerException($answer->asStranger());
        }
    }
}
