<?php

declare(strict_types=1);

namespace Tillseal;

use Tillseal\Error\NoAnswer;

/**
 * One request and its answer; redirects are not followed.
 *
 * @internal
 */
final class Http
{
    /**
     * @param list<string> $headers
     * @throws NoAnswer
     */
    public static function send(string $method, string $url, array $headers, ?string $body, float $seconds): Answer
    {
        return extension_loaded('curl')
            ? self::sendWithCurl($method, $url, $headers, $body, $seconds)
            : self::sendWithStreams($method, $url, $headers, $body, $seconds);
    }

    /** @param list<string> $headers */
    private static function sendWithCurl(string $method, string $url, array $headers, ?string $body, float $seconds): Answer
    {
        $lines = [];
        $handle = curl_init($url);
        curl_setopt_array($handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            // Without an empty Expect, curl waits a second before it sends a long body.
            CURLOPT_HTTPHEADER => [...$headers, 'Expect:'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($seconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$lines): int {
                $lines[] = $line;
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        $text = curl_exec($handle);
        if (!is_string($text)) {
            throw new NoAnswer('no answer from ' . parse_url($url, PHP_URL_HOST) . ': ' . curl_error($handle));
        }
        return new Answer(curl_getinfo($handle, CURLINFO_RESPONSE_CODE), self::headers($lines), $text);
    }

    /** @param list<string> $headers */
    private static function sendWithStreams(string $method, string $url, array $headers, ?string $body, float $seconds): Answer
    {
        $until = hrtime(true) + $seconds * 1e9;
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => [...$headers, 'Connection: close'],
            'content' => $body ?? '',
            'timeout' => $seconds,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ]]);
        $stream = @fopen($url, 'rb', false, $context);
        if ($stream === false) {
            throw new NoAnswer(error_get_last()['message'] ?? "no answer from $url");
        }
        $lines = stream_get_meta_data($stream)['wrapper_data'];
        $text = '';
        stream_set_timeout($stream, (int) $seconds, (int) (fmod($seconds, 1) * 1e6));
        while (!feof($stream)) {
            $part = fread($stream, 65_536);
            if ($part === false || stream_get_meta_data($stream)['timed_out'] || hrtime(true) > $until) {
                throw new NoAnswer("the answer from $url broke off or came too slowly");
            }
            $text .= $part;
        }
        fclose($stream);
        $found = self::headers($lines);
        if (isset($found['content-length']) && strlen($text) < (int) $found['content-length']) {
            throw new NoAnswer("the answer from $url broke off");
        }
        return new Answer((int) explode(' ', $lines[0])[1], $found, $text);
    }

    /**
     * @param list<string> $lines
     * @return array<string, string>
     */
    private static function headers(array $lines): array
    {
        $headers = [];
        foreach ($lines as $line) {
            [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
            $headers[strtolower(trim($name))] = trim($value);
        }
        return $headers;
    }
}
