// Package receivers checks that a webhook is from Wattkeeper, with the standard library alone.
// A body is the request's bytes as they came, before any parsing.
package receivers

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceS = 300

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyHMAC tells whether one of the subscription's secrets signed it (HMAC-SHA256, v1).
func VerifyHMAC(header string, body []byte, secrets []string, now time.Time) bool {
	message, values := parse(header, body, "v1", sha256.Size, now)
	found := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(message)
		own := mac.Sum(nil)
		for _, value := range values {
			// Compares in constant time.
			if hmac.Equal(own, value) {
				found = true
			}
		}
	}
	return found
}

// VerifyEd25519 tells whether a key of GET /webhooks/jwks.json signed it (Ed25519, v1a). Of each
// key it takes x, as it is there.
func VerifyEd25519(header string, body []byte, xs []string, now time.Time) bool {
	message, values := parse(header, body, "v1a", ed25519.SignatureSize, now)
	for _, x := range xs {
		key, err := base64.RawURLEncoding.DecodeString(x)
		if err != nil || len(key) != ed25519.PublicKeySize {
			continue
		}
		for _, value := range values {
			if ed25519.Verify(ed25519.PublicKey(key), message, value) {
				return true
			}
		}
	}
	return false
}

// parse gives what was signed and all values of a kind; no values where the header or the clock is
// wrong.
func parse(header string, body []byte, kind string, size int, now time.Time) ([]byte, [][]byte) {
	var times []string
	var values [][]byte
	for _, entry := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.Trim(entry, " "), "=")
		if name == "t" {
			times = append(times, value)
		}
		if bytes, err := hex.DecodeString(value); name == kind && err == nil && len(bytes) == size {
			values = append(values, bytes)
		}
	}
	if len(times) != 1 || !wholeSeconds.MatchString(times[0]) {
		return nil, nil
	}
	t, _ := strconv.ParseInt(times[0], 10, 64)
	if apart := now.Unix() - t; apart > toleranceS || apart < -toleranceS {
		return nil, nil
	}
	return append([]byte(times[0]+"."), body...), values
}
