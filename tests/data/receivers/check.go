// Runs verify.go over cases that come line by line, see tests/data/receivers_test.ts.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"check/receivers"
)

func bytes(word string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(word)
	if err != nil {
		panic(err)
	}
	return decoded
}

func texts(word string) []string {
	found := []string{}
	for _, part := range strings.Split(word, ",") {
		if part != "" {
			found = append(found, string(bytes(part)))
		}
	}
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		header, body := "", bytes(words[1])
		if words[0] != "-" {
			header = string(bytes(words[0]))
		}
		seconds, _ := strconv.ParseInt(words[2], 10, 64)
		now := time.Unix(seconds, 0)
		v1 := receivers.VerifyHMAC(header, body, texts(words[3]), now)
		v1a := receivers.VerifyEd25519(header, body, texts(words[4]), now)
		fmt.Println(v1, v1a)
	}
}
